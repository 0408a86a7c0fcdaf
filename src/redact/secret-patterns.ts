import { accountPatterns } from "./account-patterns.ts";
import { contextMarker, contextPatterns } from "./context-patterns.ts";
import { tokenPatterns } from "./token-patterns.ts";

/** One format of secrets. Rules of an expression, held by tests: global, at most one secret in it, linear on any text. */
export interface SecretPattern {
  /** Stands in the text instead of the secret: `[redacted:name]`. */
  readonly name: string;
  /** One of these occurs in every text that has such a secret. */
  readonly markers: readonly string[];
  /** What it finds is replaced; with a group `before`, everything but that. */
  readonly find: RegExp;
  /** Whether what was found is a secret; absent: always. */
  readonly accepts?: (secret: string) => boolean;
  /** Made when asked for, so that nothing in this repository looks like a secret: a text around each, and the secret. */
  readonly examples: (random: RandomText) => readonly (readonly [text: string, secret: string])[];
}

/** Random characters out of an alphabet; without one letters and digits. */
export type RandomText = (length: number, alphabet?: string) => string;

/** Formats that are known by how they look, wherever they stand. */
export const shapedPatterns: readonly SecretPattern[] = [...tokenPatterns, ...accountPatterns];

/** Every format that a redactor knows, private keys in blocks apart. */
export const secretPatterns: readonly SecretPattern[] = [...shapedPatterns, ...contextPatterns];

/**
 * Occurs in every text with a shaped secret, and seldom elsewhere. Each part begins with a character that is rare: that is
 * what makes looking for it cheap.
 */
const shape: string = [
  // After a prefix, a dash, a dot …: a long word that is not all small letters.
  "[-.:][A-Za-z0-9_-]{16}(?<=[A-Z0-9][a-z_-]{0,15})",
  "_[A-Za-z0-9+/=_-]{16}(?<=[A-Z0-9][a-z_+/=-]{0,15})",
  "/(?:0[A-Za-z0-9_-]{16}|services/|workflows/|triggers/|webhooks/)",
  "A(?:[KSB]IA[A-Z2-7]{16}|Iza|TATT3)|SK[0-9a-f]{16}|EAAA|[78]Q~|[?&]sig[=\\\\]|\\\\u0026sig|pi[0-9a-f]{16}",
].join("|");
export const shapeMarker: RegExp = new RegExp(shape, "g");

/**
 * Occurs in every text with a secret of any kind. It is asked first, and of most texts nothing else: this runs on everything
 * that every agent says and reads.
 */
export const anyMarker: RegExp = new RegExp(`${shape}|${contextMarker.source}|-----(?:BEGIN|END) `);
