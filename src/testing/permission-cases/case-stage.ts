import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { errorMessage, RetinueError } from "../../contract/errors.ts";
import { isInside } from "../../platform/files/is-inside.ts";
import { makePrivateDirectory } from "../../platform/files/make-directory.ts";
import { isObject } from "../../platform/is-object.ts";
import { realPath } from "../../platform/files/real-path.ts";
import type { Fixture } from "./permission-case.ts";

/** The directories of one case: a project, a home and something outside, fresh, and gone when disposed. */
export class CaseStage implements Disposable {
  readonly root: string;
  readonly project: string;
  readonly home: string;
  readonly #places: readonly (readonly [placeholder: string, path: string])[];

  constructor() {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "retinue-case-")));
    this.project = join(this.root, "proj");
    this.home = join(this.root, "home");
    const out = join(this.root, "out");
    for (const directory of [this.project, this.home, out]) mkdirSync(directory);
    this.#places = [
      ["{{P}}", this.project],
      ["{{H}}", this.home],
      ["{{O}}", out],
    ];
  }

  /** A copy with the directories in place of their placeholders, in every text. */
  fill<Value>(value: Value): Value {
    return replaceTexts(value, (text) =>
      this.#places.reduce((done, [name, path]) => done.replaceAll(name, () => path), text),
    ) as Value;
  }

  /** The reverse, for people: the directories are gone when they read it. */
  unfill<Value>(value: Value): Value {
    return replaceTexts(value, (text) =>
      this.#places.reduce((done, [name, path]) => done.replaceAll(path, () => name), text),
    ) as Value;
  }

  /** Creates the files of a case, never outside its own directories. */
  lay(fixtures: readonly Fixture[]): void {
    for (const fixture of fixtures) {
      try {
        this.#layOne(fixture);
      } catch (error) {
        if (error instanceof RetinueError) throw error;
        throw refused(fixture, `cannot be made (${this.unfill(errorMessage(error))})`);
      }
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #layOne(fixture: Fixture): void {
    const path = resolve(this.project, fixture.path);
    // A link from an earlier fixture may lead out; what it leads to is not touched.
    const reached = fixture.type === "symlink" ? realPath(dirname(path)) : realPath(path);
    if (!isInside(this.root, path) || !isInside(this.root, reached))
      throw refused(this.unfill(fixture), "is outside {{P}}, {{H}} and {{O}}");
    makePrivateDirectory(fixture.type === "dir" ? path : dirname(path));
    if (fixture.type === "file") writeFileSync(path, fixture.content);
    if (fixture.type === "symlink") symlinkSync(fixture.target, path);
  }
}

function refused({ path }: Fixture, why: string): RetinueError {
  return new RetinueError("invalid_config", `the fixture '${path}' ${why}. Correct its path.`);
}

/** Replaces the texts in a value that came from JSON: its depth was limited there. */
function replaceTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === "string") return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, replace));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, replaceTexts(inner, replace)]);
  return Object.fromEntries(entries) as unknown;
}
