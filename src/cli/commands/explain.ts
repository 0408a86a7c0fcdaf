import { loadSkills } from "../../definitions/skills.ts";
import { limitsFromEnvironment, limitsSchema } from "../../settings/settings.ts";
import { modeBySettings } from "../../permissions/from-settings.ts";
import { Environment } from "../../resolve/environment.ts";
import { explainAgent } from "../../resolve/explain.ts";
import { explanationLines } from "../explanation-lines.ts";
import { readHere, type HereOptions } from "../read-here.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";

/** `retinue explain`: what would become of a request for this type, and why. Starts nothing. */
export async function explainCommand(
  type: string,
  options: HereOptions & { json?: boolean },
): Promise<void> {
  const { configuration, catalog, diagnostics } = await readHere(options);
  const explanation = await explainAgent(type, {
    catalog,
    diagnostics,
    skills: (await loadSkills(configuration.skillPlaces)).skills,
    settings: configuration.settings,
    limits: limitsSchema.parse(limitsFromEnvironment(process.env)),
    environment: new Environment({
      cwd: process.cwd(),
      configDir: defaultConfigDir(),
      now: Date.now(),
    }),
    subagentModel: process.env["CLAUDE_CODE_SUBAGENT_MODEL"],
    parentMode: modeBySettings("default", configuration.settings),
  });
  const { trusted } = configuration;
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify({ ...explanation, trusted }, null, 2)}\n`
      : `${explanationLines(explanation, { trusted, width: 100 }).join("\n")}\n`,
  );
}
