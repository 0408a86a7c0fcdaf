import { expect, test } from "vitest";
import {
  permissionModes,
  type ModeRecord,
  type PermissionMode,
} from "../contract/resolved-agent.ts";
import {
  isWithin,
  plans,
  resolveMode,
  sessionMode,
  waysOf,
  type Voices,
} from "./permission-mode.ts";
import { keepsApproval, renewMode, type SettledMode } from "./renew-mode.ts";

const silent: Voices = {
  parent: sessionMode("default"),
  hasParent: true,
  session: "default",
  isMain: false,
  host: undefined,
  definition: undefined,
  isHostDefinition: false,
  call: undefined,
  allowsBypass: true,
};

type Now = Parameters<typeof renewMode>[1];

const unchanged: Now = {
  session: sessionMode("default"),
  parent: undefined,
  isMain: false,
  hasParent: true,
  wanted: undefined,
  allowsBypass: true,
};

/** The agent as it was resolved below a session of that mode. */
function resolvedIn(session: PermissionMode, said: Partial<Voices> = {}): SettledMode {
  return resolveMode({ ...silent, parent: sessionMode(session), session, ...said });
}

const ways = ({ children, neverAsks }: ModeRecord) => waysOf(children, neverAsks);

test("an agent that goes on never has more than it had, than a parent that forbids, or than was asked for", () => {
  let count = 0;
  for (const then of permissionModes)
    for (const now of permissionModes)
      for (const above of [undefined, ...permissionModes])
        for (const wanted of [undefined, ...permissionModes]) {
          const before = resolvedIn(then, { definition: "auto", isHostDefinition: true });
          const parent = above === undefined ? undefined : sessionMode(above);
          const { record } = renewMode(before, {
            ...unchanged,
            session: sessionMode(now),
            parent,
            wanted,
          });
          const limits = [before.record];
          if (above === "plan" || above === "dontAsk") limits.push(sessionMode(above));
          if (wanted !== undefined && wanted !== "delegate") limits.push(sessionMode(wanted));
          if (now !== then && now !== "default") limits.push(sessionMode(now));
          for (const limit of limits)
            if (!isWithin(ways(record), ways(limit)))
              expect.fail(JSON.stringify({ was: then, now, above, wanted, record }));
          count += 1;
        }
  expect(count).toBe(8 * 8 * 9 * 9);
});

test("a session with the mode of last time has had its say: an agent that the host gave more keeps it", () => {
  const before = resolvedIn("auto", { host: "acceptEdits" });
  const same = renewMode(before, { ...unchanged, session: sessionMode("auto") });
  expect(same.mode).toBe("acceptEdits");
  const other = renewMode(before, { ...unchanged, session: sessionMode("plan") });
  expect([other.mode, other.record.afterPlan]).toEqual(["plan", null]);
});

test("the right to everything is not kept where the session no longer gives it", () => {
  const before = resolvedIn("bypassPermissions");
  const now = { ...unchanged, allowsBypass: false };
  expect(renewMode(before, now).mode).toBe("default");
  expect(renewMode(before, { ...now, session: sessionMode("acceptEdits") }).mode).toBe(
    "acceptEdits",
  );
});

test("a session that is opened again in delegate makes the main agent delegate, and not its children", () => {
  const before = resolvedIn("acceptEdits", { isMain: true });
  const session = sessionMode("delegate");
  const main = renewMode(before, { ...unchanged, session, isMain: true, hasParent: false });
  expect([main.mode, main.record.children]).toEqual(["delegate", "default"]);
  expect(renewMode(before, { ...unchanged, session }).mode).toBe("default");
});

test("an agent without a parent that is resumed in plan mode returns to what it had when its plan is approved", () => {
  const alone = { ...unchanged, hasParent: false };
  const before = resolvedIn("acceptEdits", { hasParent: false });
  const session = sessionMode("acceptEdits");
  const narrowed = renewMode(before, { ...alone, session, wanted: "plan" });
  expect([narrowed.mode, narrowed.record.afterPlan]).toEqual(["plan", "acceptEdits"]);
  const again = renewMode(narrowed, { ...alone, session });
  expect([again.mode, again.record.afterPlan]).toEqual(["plan", "acceptEdits"]);
  const silenced = renewMode(narrowed, { ...alone, session: sessionMode("dontAsk") });
  expect(silenced.record).toMatchObject({ neverAsks: true, afterPlan: "dontAsk" });
});

test("a child below a parent that plans stays in plan mode, whatever its own plan would have led to", () => {
  const before = resolvedIn("default", { definition: "plan" });
  expect(before.record.afterPlan).toBe("default");
  const { mode, record } = renewMode(before, { ...unchanged, parent: sessionMode("plan") });
  expect([mode, record.afterPlan, plans(ways(record))]).toEqual(["plan", null, true]);
});

test("an approval is kept unless whoever resumes the agent, or a session newly in plan, wants it to plan", () => {
  const byDefinition = resolvedIn("default", { definition: "plan" });
  const bySession = resolvedIn("plan", { hasParent: false });
  const inPlan = { ...unchanged, session: sessionMode("plan"), hasParent: false };
  const kept = (before: SettledMode, now: Now): boolean =>
    keepsApproval(before, renewMode(before, now), now.wanted);
  expect(kept(bySession, inPlan)).toBe(true);
  expect(kept(byDefinition, unchanged)).toBe(true);
  expect(kept(byDefinition, inPlan)).toBe(false);
  expect(kept(bySession, { ...inPlan, wanted: "plan" })).toBe(false);
});
