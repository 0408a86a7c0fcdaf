import { readConfiguration } from "../../session/configuration.ts";
import { errorMessage } from "../../contract/errors.ts";
import { silentLogger } from "../../platform/logger.ts";
import { bubblewrap, type Bubblewrap } from "../../platform/sandbox/bubblewrap.ts";
import { SessionSandbox } from "../../platform/sandbox/session-sandbox.ts";
import type { SandboxSettings } from "../../settings/sandbox-settings.ts";
import type { DoctorCheck, DoctorFinding, DoctorContext } from "./check.ts";

/** The protections between a command and the machine, and whether each is on. */
export const protectionChecks: readonly DoctorCheck[] = [
  {
    name: "decisions",
    look: () =>
      Promise.resolve([
        {
          status: "ok",
          what: "on: every command is parsed before it runs; a command that cannot be parsed is asked about",
        },
      ]),
  },
  {
    name: "tight sandbox",
    look: async (ground) => [await tight(sandboxSettings(ground), ground.bubblewrap ?? bubblewrap)],
  },
  {
    name: "sandbox setting",
    look: async (ground) => [await byTheSettings(sandboxSettings(ground))],
  },
];

function sandboxSettings({ configDir, cwd }: DoctorContext): SandboxSettings {
  const { settings, loader } = readConfiguration({ cwd, configDir });
  loader[Symbol.dispose]();
  return settings.sandbox;
}

async function tight(
  { autoApproved }: SandboxSettings,
  find: () => Promise<Bubblewrap>,
): Promise<DoctorFinding> {
  if (!autoApproved)
    return {
      status: "warning",
      what: "off: sandbox.autoApproved is false; commands that need no approval run like the others",
      remedy: "Remove sandbox.autoApproved from the settings.",
    };
  const found = await find();
  if ("program" in found)
    return { status: "ok", what: `on: ${found.program} holds commands that need no approval` };
  const [what = "", ...remedy] = found.missing.split(/(?<=\.) /);
  return {
    status: "warning",
    what: `off: ${what} Commands that need no approval run as you do.`,
    ...(remedy.length > 0 && { remedy: remedy.join(" ") }),
  };
}

async function byTheSettings(settings: SandboxSettings): Promise<DoctorFinding> {
  if (!settings.enabled)
    return { status: "ok", what: "off: commands that were approved run as you do" };
  const session = new SessionSandbox({
    settings: { ...settings, failIfUnavailable: true },
    ownDirectories: [],
    logger: silentLogger,
  });
  try {
    await session.open();
    return { status: "ok", what: "on: commands that were approved run in the sandbox" };
  } catch (error) {
    const isFatal = settings.failIfUnavailable;
    return {
      status: isFatal ? "problem" : "warning",
      what: isFatal
        ? "on, but it does not work here: nothing will start"
        : "off, because it does not work here and sandbox.failIfUnavailable is false",
      remedy: errorMessage(error),
    };
  } finally {
    await session.close();
  }
}
