import { expect, test } from "vitest";
import { holdBack } from "./held-back.ts";
import { inertSandboxKeys, sandboxSchema } from "./sandbox-settings.ts";

test("without a word there is no sandbox, and in it no network and nothing more to write", () => {
  expect(sandboxSchema.parse({})).toEqual({
    enabled: false,
    autoApproved: true,
    failIfUnavailable: true,
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { allowWrite: [], denyWrite: [], denyRead: [], allowRead: [] },
  });
});

test.each([
  { enable: true },
  { network: { allowManagedDomainsOnly: true } },
  { filesystem: { denyWrites: ["x"] } },
  { filesystem: { denyRead: "x" } },
])("a limit that would not hold is an error: %j", (sandbox) => {
  expect(sandboxSchema.safeParse(sandbox).success).toBe(false);
});

test("what other programs know and this one does not act on is named, with what holds instead", () => {
  const sandbox = {
    enabled: true,
    excludedCommands: ["docker"],
    autoAllowBashIfSandboxed: true,
    allowUnsandboxedCommands: false,
    network: { allowUnixSockets: ["/run/docker.sock"], allowLocalBinding: false },
  };
  expect(sandboxSchema.safeParse(sandbox).success).toBe(true);
  expect(inertSandboxKeys({ sandbox }).map(({ path }) => path.join("."))).toEqual([
    "sandbox.autoAllowBashIfSandboxed",
    "sandbox.excludedCommands",
    "sandbox.network.allowUnixSockets",
  ]);
  expect(inertSandboxKeys({ sandbox: "no" })).toEqual([]);
});

const wanted = {
  sandbox: {
    enabled: true,
    excludedCommands: ["sh"],
    network: { allowedDomains: ["evil.example"], deniedDomains: ["a.example"] },
    filesystem: { allowWrite: ["/"], denyWrite: ["a"], denyRead: ["b"], allowRead: ["c"] },
  },
};

test.each(["project", "local"] as const)(
  "a folder that nobody trusts may narrow the sandbox and never widen it (%s)",
  (scope) => {
    const allowance = { trusted: false, managedRulesOnly: false };
    const { values, heldBack } = holdBack({ scope, values: wanted }, allowance);
    expect(values).toEqual({
      sandbox: {
        enabled: true,
        network: { deniedDomains: ["a.example"] },
        filesystem: { denyWrite: ["a"], denyRead: ["b"] },
      },
    });
    expect(heldBack.map(({ path }) => path.join("."))).toEqual([
      "sandbox.excludedCommands",
      "sandbox.network.allowedDomains",
      "sandbox.filesystem.allowWrite",
      "sandbox.filesystem.allowRead",
    ]);
    const off = { sandbox: { enabled: false, autoApproved: false, failIfUnavailable: false } };
    expect(holdBack({ scope, values: off }, allowance).values).toEqual({ sandbox: {} });
  },
);

test.each([
  { scope: "project", trusted: true },
  { scope: "user", trusted: false },
  { scope: "command-line", trusted: false },
] as const)("who is trusted says all of it: %j", ({ scope, trusted }) => {
  const { values, heldBack } = holdBack(
    { scope, values: wanted },
    { trusted, managedRulesOnly: false },
  );
  expect({ values, heldBack }).toEqual({ values: wanted, heldBack: [] });
});
