import { symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, never, setDesk } from "./inbox-fixture.ts";
import { RequestFiles } from "./request-files.ts";

test("requests on disk that are not whole are passed over", async () => {
  const { inbox, directory } = setDesk({ attended: true });
  const { promise: open, resolve } = Promise.withResolvers<void>();
  inbox.onOpen(resolve);
  void inbox.ask(call(), never).catch(() => undefined);
  await open;
  const files = new RequestFiles(directory);
  const [found] = files.all();
  expect(found).toMatchObject({ processEnded: false, request: { tool: "Bash" } });
  writeFileSync(files.requestFile("q00000001"), "{");
  writeFileSync(files.requestFile("q00000002"), JSON.stringify(found));
  symlinkSync(files.requestFile(found?.request.id ?? ""), files.requestFile("q00000003"));
  writeFileSync(files.requestFile("q00000004"), "");
  truncateSync(files.requestFile("q00000004"), 1024 ** 3);
  writeFileSync(join(directory, "notes.json"), "{}");
  expect(files.all()).toHaveLength(1);
});
