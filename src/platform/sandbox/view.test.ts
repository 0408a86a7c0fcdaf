import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { SandboxView } from "./view.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

let root: string;

beforeEach(() => {
  root = temporaryDirectory();
  for (const directory of ["a/inner/deep", "a-b", "real"])
    mkdirSync(join(root, directory), { recursive: true });
  writeFileSync(join(root, "a/file"), "");
});

const at = (...names: string[]): string[] => names.map((name) => join(root, name));

/** One line for each argument about the root, with paths seen from there. */
function lines(view: SandboxView): string[] {
  const text = view.arguments().join(" ");
  return text
    .split(/ (?=--)/)
    .map((line) => line.replaceAll(`${root}/`, ""))
    .filter((line) => !/ \/(?:dev|proc(?:\/sys(?:rq-trigger)?)?|tmp)?$/.test(line));
}

test("outer paths come first, whatever the order in which they were added", () => {
  const view = new SandboxView().add("open", at("a/inner")).add("show", at("a-b", "a"));
  expect(lines(view)).toEqual([
    "--ro-bind-try a a",
    "--ro-bind-try a-b a-b",
    "--bind-try a/inner a/inner",
  ]);
});

test.each([
  ["seen already", "show", "show", ["--ro-bind-try a a"]],
  ["seen and more already", "open", "show", ["--bind-try a a"]],
  ["written already", "open", "open", ["--bind-try a a"]],
  ["held", "open", "hold", ["--bind-try a a", "--ro-bind-try a/inner a/inner"]],
  ["held already", "show", "hold", ["--ro-bind-try a a"]],
  ["hidden", "show", "hide", ["--ro-bind-try a a", "--tmpfs a/inner", "--remount-ro a/inner"]],
  ["revealed where nothing is hidden", "show", "reveal", ["--ro-bind-try a a"]],
] as const)("what is %s is mounted once", (_, outer, inner, mounts) => {
  expect(lines(new SandboxView().add(outer, at("a")).add(inner, at("a/inner")))).toEqual(mounts);
});

test("a path that is held or hidden is not opened by that", () => {
  expect(lines(new SandboxView().add("hold", at("a")).add("hide", at("real")))).toEqual([]);
});

test("inside what is hidden only that is seen which is revealed", () => {
  const view = new SandboxView()
    .add("show", at("a"))
    .add("hide", at("a/inner", "a/file"))
    .add("reveal", at("a/inner/deep"));
  expect(lines(view)).toEqual([
    "--ro-bind-try a a",
    "--ro-bind /dev/null a/file",
    "--tmpfs a/inner",
    "--ro-bind-try a/inner/deep a/inner/deep",
    "--remount-ro a/inner",
  ]);
});

test("the stricter word counts for one path", () => {
  const view = new SandboxView().add("hold", at("a/inner")).add("open", at("a", "a/inner"));
  expect(lines(view)).toEqual(["--bind-try a a", "--ro-bind-try a/inner a/inner"]);
});

test("links on the way are made again, unless they are seen anyway", () => {
  symlinkSync("real", join(root, "link"));
  symlinkSync("link", join(root, "second"));
  mkdirSync(join(root, "real/below"));
  symlinkSync("below", join(root, "real/inside"));
  expect(lines(new SandboxView().add("show", at("second/below")))).toEqual([
    "--ro-bind-try real/below real/below",
    "--symlink link second",
    "--symlink real link",
  ]);
  expect(lines(new SandboxView().add("show", at("real", "real/inside")))).toEqual([
    "--ro-bind-try real real",
  ]);
});

test("what does not exist is passed over", () => {
  symlinkSync("nothing", join(root, "dangling"));
  expect(lines(new SandboxView().add("show", at("nowhere", "dangling")))).toEqual([]);
});

const processes = [
  ...["--proc", "/proc", "--ro-bind-try", "/proc/sys", "/proc/sys"],
  ...["--ro-bind-try", "/proc/sysrq-trigger", "/proc/sysrq-trigger"],
];

test("nothing else can be written, and temporary files are nobody else's", () => {
  expect(new SandboxView().arguments()).toEqual([
    ...["--dev", "/dev", ...processes, "--tmpfs", "/tmp"],
    ...["--remount-ro", "/"],
  ]);
  expect(new SandboxView().add("show", ["/"]).arguments()).toEqual([
    ...["--ro-bind-try", "/", "/", "--dev", "/dev", ...processes],
  ]);
});
