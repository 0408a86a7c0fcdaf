import { accountPatterns } from "./account-patterns.ts";
import { contextMarker, contextPatterns } from "./context-patterns.ts";
import { tokenPatterns } from "./token-patterns.ts";

/**
 * One format of secrets. Rules of an expression, held by tests: global, at most one secret in it, linear on any text.
 */
export interface SecretPattern {
  /** Name in the replacement: `[redacted:name]`. */
  readonly name: string;
  /** Markers, of which one occurs in every text with such a secret. */
  readonly markers: readonly string[];
  /** Expression whose match is replaced; with a group `before`, all of the match but that group. */
  readonly find: RegExp;
  /** Whether a match is a secret; absent: always. */
  readonly accepts?: (secret: string) => boolean;
  /** Examples, generated so that nothing in this repository looks like a secret: a text around each, and the secret. */
  readonly examples: (random: RandomText) => readonly (readonly [text: string, secret: string])[];
}

/** Generates random characters of an alphabet; default: letters and digits. */
export type RandomText = (length: number, alphabet?: string) => string;

/** Formats that are recognised by their shape, wherever they occur. */
export const shapedPatterns: readonly SecretPattern[] = [...tokenPatterns, ...accountPatterns];

/** All formats of a redactor, except private keys in blocks. */
export const secretPatterns: readonly SecretPattern[] = [...shapedPatterns, ...contextPatterns];

/**
 * Matches in every text with a shaped secret, and seldom elsewhere. Each alternative begins with a rare character,
 * which makes the search cheap.
 */
const shape: string = [
  // After a prefix, a dash, a dot …: a long word that is not all lower case.
  "[-.:][A-Za-z0-9_-]{16}(?<=[A-Z0-9][a-z_-]{0,15})",
  "_[A-Za-z0-9+/=_-]{16}(?<=[A-Z0-9][a-z_+/=-]{0,15})",
  "/(?:0[A-Za-z0-9_-]{16}|services/|workflows/|triggers/|webhooks/)",
  "A(?:[KSB]IA[A-Z2-7]{16}|Iza|TATT3)|SK[0-9a-f]{16}|EAAA|[78]Q~|[?&]sig[=\\\\]|\\\\u0026sig|pi[0-9a-f]{16}",
].join("|");
export const shapeMarker: RegExp = new RegExp(shape, "g");

/**
 * Matches in every text with a secret of any kind. It is tested first, and for most texts nothing else is: this runs on
 * everything that every agent says and reads.
 */
export const anyMarker: RegExp = new RegExp(`${shape}|${contextMarker.source}|-----(?:BEGIN|END) `);
