import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { newAgentId } from "../../contract/ids.ts";
import { FileLedger, FileState, missingFile } from "./file-state.ts";
import { absolutePath } from "../../platform/files/absolute-path.ts";
import { makeContext } from "./file-tools-fixture.ts";

describe("FileState", () => {
  it("does not know a file that was not read", () => {
    expect(new FileState().recall("/a")).toBeUndefined();
  });

  it("knows the whole of a file that was read whole", () => {
    const files = new FileState();
    files.sawAll("/a", "hash");
    expect(files.recall("/a")).toEqual({ hash: "hash", extent: "whole" });
  });

  it("counts pages that follow each other as the whole file", () => {
    const files = new FileState();
    files.sawLines("/a", "hash", { from: 1, to: 10, total: 20 });
    expect(files.recall("/a")?.extent).toBe("partial");
    files.sawLines("/a", "hash", { from: 11, to: 20, total: 20 });
    expect(files.recall("/a")?.extent).toBe("whole");
  });

  it("does not count pages with a gap between them as the whole file", () => {
    const files = new FileState();
    files.sawLines("/a", "hash", { from: 1, to: 10, total: 20 });
    files.sawLines("/a", "hash", { from: 12, to: 20, total: 20 });
    expect(files.recall("/a")?.extent).toBe("partial");
  });

  it("does not add pages of a file that changed in between", () => {
    const files = new FileState();
    files.sawLines("/a", "old", { from: 1, to: 10, total: 20 });
    files.sawLines("/a", "new", { from: 11, to: 20, total: 20 });
    expect(files.recall("/a")).toEqual({ hash: "new", extent: "partial" });
  });

  it("still knows the whole of a file after a look at a part of it", () => {
    const files = new FileState();
    files.sawAll("/a", "hash");
    files.sawLines("/a", "hash", { from: 5, to: 6, total: 20 });
    expect(files.recall("/a")?.extent).toBe("whole");
  });

  it("remembers the hundred files that were used last", () => {
    const files = new FileState();
    for (let index = 0; index < 100; index++) files.sawAll(`/${index}`, "hash");
    files.recall("/0");
    files.sawAll("/100", "hash");
    expect(files.recall("/0")).toBeDefined();
    expect(files.recall("/1")).toBeUndefined();
    expect(files.recall("/100")).toBeDefined();
  });

  it("forgets everything when it is cleared", () => {
    const files = new FileState();
    files.sawAll("/a", "hash");
    files.clear();
    expect(files.recall("/a")).toBeUndefined();
  });
});

describe("FileLedger", () => {
  it("knows who changed a file last", () => {
    const ledger = new FileLedger();
    const [first, second] = [newAgentId(), newAgentId()];
    ledger.record("/a", { agentId: first, agentType: "worker", hash: "1" });
    ledger.record("/a", { agentId: second, agentType: "fixer", hash: "2" });
    expect(ledger.lastChange("/a")).toEqual({ agentId: second, agentType: "fixer", hash: "2" });
    expect(ledger.lastChange("/b")).toBeUndefined();
  });

  it("is bounded", () => {
    const ledger = new FileLedger();
    const change = { agentId: newAgentId(), agentType: "worker", hash: "1" };
    for (let index = 0; index <= 10_000; index++) ledger.record(`/${index}`, change);
    expect(ledger.lastChange("/0")).toBeUndefined();
    expect(ledger.lastChange("/1")).toBeDefined();
  });

  it("lets changes of one file wait for each other, those of others not, and survives a failure", async () => {
    const ledger = new FileLedger();
    const order: string[] = [];
    const step = (name: string, turns: number, error?: Error) => async () => {
      order.push(`${name} starts`);
      for (let turn = 0; turn < turns; turn += 1) await setImmediate();
      order.push(`${name} ends`);
      if (error) throw error;
      return name;
    };
    const results = await Promise.allSettled([
      ledger.inTurn("/a", step("first", 20, new Error("broken"))),
      ledger.inTurn("/a", step("second", 1)),
      ledger.inTurn("/b", step("other", 1)),
    ]);
    expect(results.map((result) => result.status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(order).toEqual([
      "first starts",
      "other starts",
      "other ends",
      "first ends",
      "second starts",
      "second ends",
    ]);
  });
});

describe("absolutePath", () => {
  it("resolves what a model may write", () => {
    expect(absolutePath("a/../b", "/home/me")).toBe("/home/me/b");
    expect(absolutePath("/etc/hosts", "/home/me")).toBe("/etc/hosts");
    expect(absolutePath("~/notes", "/home/me")).toBe(join(homedir(), "notes"));
    expect(absolutePath("~x", "/home/me")).toBe("/home/me/~x");
  });
});

describe("missingFile", () => {
  it("offers close names of the directory, the closest first", async () => {
    const context = await makeContext();
    const directory = context.workbench.cwd;
    for (const name of ["Session.ts", "sessions.ts", "README.md"]) {
      await writeFile(join(directory, name), "");
    }
    const { message } = await missingFile(join(directory, "session.ts"), context);
    expect(message).toContain(
      `Did you mean ${join(directory, "Session.ts")} or ${join(directory, "sessions.ts")}?`,
    );
  });

  it("says how to search when no name is close, or when there is no directory", async () => {
    const context = await makeContext();
    const directory = context.workbench.cwd;
    await mkdir(join(directory, "src"));
    const { message } = await missingFile(join(directory, "main.py"), context);
    expect(message).toContain("does not exist. Find it with Glob");
    const nowhere = await missingFile(join(directory, "lib/main.py"), context);
    expect(nowhere.message).toContain("nor does its directory");
    expect(nowhere.message).toContain(`working directory is ${directory}`);
  });
});
