import type { AgentRecord } from "../../events/agent-record.ts";
import type { AgentEvent } from "../../events/event.ts";
import { textOf, totalTokens } from "../../contract/message.ts";
import {
  formatCall,
  formatDenial,
  formatFigures,
  formatModel,
  formatOutcome,
} from "../terminal/format.ts";
import { RunState, type AgentView } from "./run-state.ts";
import { plainLine } from "../terminal/sanitize.ts";
import { steeringLine } from "./steering-lines.ts";
import { createStyle, type Style } from "../terminal/style.ts";

/** The view for a pipe, a log or a screen reader: one line per notable event, never one per token. */
export class PlainView {
  readonly run: RunState = new RunState();
  readonly #stream: PlainStream;
  readonly #style: Style;
  readonly #scripted: boolean;
  /** Denied calls: their error result says the same as the denial. */
  readonly #denied = new Set<string>();

  constructor(options: { stream: PlainStream; style?: Style; scripted?: boolean }) {
    this.#stream = options.stream;
    this.#style = options.style ?? createStyle(false);
    this.#scripted = options.scripted ?? false;
  }

  apply(event: AgentEvent): void {
    const agent = this.run.apply(event);
    if (agent === undefined) return;
    const line = this.#line(agent, event);
    if (line !== null) this.#write(agent, line);
  }

  /** Shows an agent that runs already. */
  add(record: AgentRecord): void {
    const agent = this.run.add(record);
    this.#write(agent, record.hasStarted ? this.#started(agent, null) : this.#style.dim("queued"));
  }

  log(text: string): void {
    this.#stream.write(`${plainLine(text)}\n`);
  }

  /** Does nothing, since nothing is held back; lets both views be used alike. */
  stop(): void {}

  #write(agent: AgentView, line: string): void {
    const path = this.#style.agent(agent.record.color)(this.run.path(agent));
    this.#stream.write(`${path}  ${line}\n`);
  }

  #line(agent: AgentView, event: AgentEvent): string | null {
    const style = this.#style;
    switch (event.type) {
      case "agent-queued":
        return style.dim(`queued (position ${event.position})`);
      case "agent-start":
        return this.#started(agent, event.agent.modeRefused);
      case "agent-wait":
        return event.reason === "permission" || event.reason === "question"
          ? style.yellow(`waiting: ${event.reason}`)
          : null;
      case "model-retry":
        return style.yellow(
          `retry ${event.attempt} in ${(event.delayMs / 1000).toFixed(1)} s: ` +
            plainLine(`${event.code}, ${event.message}`),
        );
      case "deadline-warning":
        return style.yellow(plainLine(`time: ${event.message}`));
      case "tool-call-start":
        return formatCall(event.call);
      case "mode-change":
        return style.yellow(plainLine(`mode: ${event.to} (${event.by} approved the plan)`));
      case "permission-deny":
        this.#denied.add(event.call.id);
        return style.yellow(formatDenial(event.call, event.reason));
      case "tool-call-end":
        if (this.#denied.delete(event.call.id) || event.result.is_error !== true) return null;
        return style.red(
          `${plainLine(event.call.name)} failed: ${plainLine(textOf(event.result.content))}`,
        );
      case "agent-end":
        return this.#ended(event);
      case "agent-background":
      case "prompt":
        return steeringLine(event, this.run);
      case "summary":
        return style.dim(`now: ${plainLine(event.text)}`);
      default:
        return null;
    }
  }

  #started(agent: AgentView, refused: string | null): string {
    const about =
      agent.record.name === null && agent.record.parentId !== null ? [] : [agent.record.type];
    const model = formatModel(agent.record.model, this.#scripted);
    return ["started", ...about, agent.record.description, model, plainLine(refused ?? "")]
      .filter((part) => part !== "")
      .join(" · ");
  }

  #ended({ result }: AgentEvent & { type: "agent-end" }): string {
    const figures = formatFigures({ ...result, tokens: totalTokens(result.usage) });
    if (result.state === "completed") return this.#style.green(`completed · ${figures}`);
    const outcome =
      result.state === "failed" ? `failed: ${formatOutcome(result)}` : formatOutcome(result);
    return this.#style.red(`${outcome} · ${figures}`);
  }
}

export interface PlainStream {
  write(text: string): unknown;
}
