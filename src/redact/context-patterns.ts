import { alphanumeric, base64, hex } from "./alphabets.ts";
import { hasRandomPair, isRandom, isValue } from "./looks-secret.ts";
import type { SecretPattern } from "./secret-patterns.ts";

/** Words for a secret, at the end of a name. */
const name = String.raw`(?:pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|auth|(?:api|access|secret|private|signing|encryption|auth|account|master|service|session|shared|license)[_-]?key|key[_-]base)(?:[_-]?\d{1,2})?`;
/** The end of a name in quotes, and the blanks after it. */
const afterName = String.raw`["'\x60\\]{0,4}[ \t]{0,3}`;
/** The sign itself, or in an escaped form of JSON. */
const signs = String.raw`(?:[=:]|\\u003[adAD])`;
/** Characters between the sign and the value. */
const beforeValue = String.raw`[=>]?[ \t]{0,4}["'\x60\\]{0,4}`;
/** A value in a shell, in code, in JSON, in YAML; without the punctuation at the end of a sentence or a call. */
const value = String.raw`[^\s"'\x60\\<>]{7,}[^\s"'\x60\\<>,;.)}\]]`;

/** Characters between the sign behind `Cookie` and the first name. */
const beforeCookie = String.raw`[ \t]{0,4}\[?["'\x60\\]{0,4}`;
const cookieName = String.raw`[^\s"'\x60\\<>;=]{1,64}`;
/** One character of a header's cookies: blanks occur only behind a semicolon. */
const cookieValue = String.raw`(?:[^"'\x60\\<>\n\r\v\f](?<![^;][ \t]))`;

/**
 * Builds an expression that begins with the sign, which is rarer than letters: looking back for the name is cheaper
 * than searching for it.
 */
function assigned(names: string, secret: string, flags: string): RegExp {
  const sign = `${signs}(?<=${names}${afterName}${signs})`;
  return new RegExp(`(?<before>${sign}${beforeValue})${secret}`, `g${flags}`);
}

/** Secrets that are recognised by the text in front of them. */
export const contextPatterns: readonly SecretPattern[] = [
  {
    name: "azure-account-key",
    markers: ["AccountKey", "AccessKey"],
    find: /(?<before>(?:Account|Access)Key(?:=|\\u003[dD]))[A-Za-z0-9+/]{40,}={0,2}/g,
    examples: (random) => {
      const secret = `${random(86, `${alphanumeric}+/`)}==`;
      return [[`DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${secret};`, secret]];
    },
  },
  {
    name: "aws-secret-access-key",
    markers: ["ccess", "CCESS"],
    find: assigned("secret_?access_?key", "[A-Za-z0-9/+=]{40}(?![A-Za-z0-9/+=])", "i"),
    examples: (random) => {
      const secret = random(40, `${alphanumeric}+/`);
      return [
        [`aws_secret_access_key = ${secret}`, secret],
        [`{"SecretAccessKey": "${secret}"}`, secret],
      ];
    },
  },
  {
    name: "authorization",
    markers: ["uthorization", "UTHORIZATION"],
    find: /(?<before>authorization["'\\]{0,4}[ \t]{0,3}(?:[:=]|\\u003[ad])[ \t]{0,3}["'\\]{0,4}(?:[a-z]{3,12}[ \t]{1,3})?)[^\s"'\\<>]{8,}/gi,
    accepts: isValue,
    examples: (random) => {
      const secret = random(32, base64);
      return [
        [`Authorization: Bearer ${secret}`, secret],
        [`-H 'authorization: Basic ${secret}'`, secret],
        [`{"Authorization":"token ${secret}"}`, secret],
      ];
    },
  },
  {
    name: "bearer",
    markers: ["earer ", "EARER ", "earer\t", "EARER\t"],
    find: /(?<before>\bbearer[ \t]{1,3}["']?)[\w.~+/=-]{16,}/gi,
    accepts: isRandom,
    examples: (random) => {
      const secret = `${random(30)}7`;
      return [[`sent with bearer ${secret}`, secret]];
    },
  },
  {
    name: "set-cookie",
    markers: ["ookie", "OOKIE"],
    find: new RegExp(
      `(?<before>[=:](?<=set-cookie2?${afterName}[=:])${beforeCookie}${cookieName}${signs})[^\\s"'\\x60\\\\<>;]{8,}`,
      "gi",
    ),
    accepts: isRandom,
    examples: (random) => {
      const secret = `${random(20)}6`;
      return [
        [`Set-Cookie: sid=${secret}; Path=/; HttpOnly`, secret],
        [`{"set-cookie": ["sid=${secret}; Path=/"]}`, secret],
      ];
    },
  },
  {
    name: "cookie",
    markers: ["ookie", "OOKIE"],
    find: new RegExp(
      `(?<before>[=:](?<=(?<!set-)cookie${afterName}[=:])${beforeCookie})${cookieValue}{8,}`,
      "gi",
    ),
    accepts: hasRandomPair,
    examples: (random) => {
      const secret = `${random(20)}3`;
      return [
        [`Cookie: theme=dark; sid=${secret}; lang=en`, secret],
        [`curl -H 'cookie: sid=${secret}'`, secret],
      ];
    },
  },
  {
    name: "url-password",
    markers: ["://"],
    find: /(?<before>:\/\/[^\s/?#@:"'`<>]{0,128}:)[^\s/?#@"'`<>]{1,256}(?=@)/g,
    accepts: isValue,
    examples: (random) => {
      const secret = random(14);
      return [
        [`postgres://shop:${secret}@db.example:5432/shop`, secret],
        [`redis://:${secret}@cache.example`, secret],
      ];
    },
  },
  {
    name: "url-token",
    markers: ["://"],
    find: /(?<before>:\/\/)[^\s/?#@:"'`<>]{20,256}(?=(?::[^\s/?#@"'`<>]{0,64})?@)/g,
    accepts: isRandom,
    examples: (random) => {
      const secret = `${random(32, hex)}0`;
      return [[`https://${secret}@git.example/shop.git`, secret]];
    },
  },
  {
    name: "netrc-password",
    markers: ["password"],
    find: /(?<before>\b(?:login|account)\s{1,8}[^\s]{1,128}\s{1,8}password\s{1,8})[^\s]{1,256}/g,
    accepts: isValue,
    examples: (random) => {
      const secret = random(12);
      return [[`machine git.example login me password ${secret}`, secret]];
    },
  },
  {
    name: "command-password",
    markers: ["-u ", "-u\t", "--user ", "--user\t", "sshpass ", "sshpass\t"],
    find: /(?<before>(?:(?:^|\s)(?:-u|--user)[ \t]{1,3}["']?[\w.@+-]{1,64}:|sshpass[ \t]{1,3}-p[ \t]{0,3}["']?))[^\s"'@]{6,256}/g,
    accepts: isRandom,
    examples: (random) => {
      const secret = `${random(12)}4`;
      return [
        [`curl -u me:${secret} https://git.example`, secret],
        [`sshpass -p ${secret} ssh host`, secret],
      ];
    },
  },
  {
    name: "assigned-secret",
    markers: ["=", ":", "\\u003"],
    find: assigned(name, value, "i"),
    accepts: isRandom,
    examples: (random) => {
      const secret = `${random(15)}9`;
      return [
        [`password=${secret}`, secret],
        [`"api_key": "${secret}",`, secret],
        [`export DEPLOY_TOKEN='${secret}'`, secret],
        [`  clientSecret: ${secret}`, secret],
        [String.raw`{\"password\":\"${secret}\"}`, secret],
        [`https://git.example/?access_token=${secret}`, secret],
        [String.raw`password\u003d${secret}`, secret],
        [`HEROKU_API_KEY=${uuid(random(32, hex))}`, ""],
      ].map(([text = "", own]) => [text, own || (text.split("=")[1] ?? "")] as const);
    },
  },
  {
    name: "environment-key",
    markers: ["_KEY", "_PAT", "_DSN"],
    find: assigned("[A-Z0-9]_(?:KEY|PAT|DSN)", value, ""),
    accepts: isRandom,
    examples: (random) => {
      const secret = `${random(24)}5`;
      return [[`DEPLOY_KEY=${secret}`, secret]];
    },
  },
];

/** Matches in every text with one of these. */
export const contextMarker: RegExp = new RegExp(
  [
    `${signs}(?<=(?:${anyCase(`${name}|authorization|cookie2?`)}|_KEY|_PAT|_DSN)${afterName}${signs})`,
    String.raw`:\/\/[^\s/?#@"'\x60<>]{1,400}@`,
    String.raw`[Bb](?:earer|EARER)[ \t]|-(?:u|-user)[ \t]|-p(?<=sshpass[ \t]{1,3}-p)|password\s`,
  ].join("|"),
);

/**
 * Matches the end of a text that lacks only the value of one of these, or the sign and the value. A text must not be
 * cut here.
 */
export const openContext: RegExp = new RegExp(
  [
    `(?:${name}|[A-Z0-9]_(?:KEY|PAT|DSN)|secret_?access_?key)${afterName}(?:${signs}${beforeValue})?$`,
    String.raw`authorization["'\\]{0,4}[ \t]{0,3}(?:(?:[:=]|\\u003[ad])[ \t]{0,3}["'\\]{0,4}(?:[a-z]{3,12}[ \t]{1,3})?)?$`,
    `cookie2?${afterName}(?:[=:]${beforeCookie})?$`,
    String.raw`\bbearer[ \t]{1,3}["']?$`,
    String.raw`\b(?:login|account)\s{1,8}(?:[^\s]{1,8192}\s{1,8}(?:password\s{1,8})?)?$`,
    String.raw`(?:^|\s)(?:-u|--user)[ \t]{1,3}$|sshpass[ \t]{1,3}(?:-p[ \t]{0,3})?$`,
  ].join("|"),
  "i",
);

/** Matches the beginning of the cookies in a header. */
export const cookieHeader: RegExp = new RegExp(`cookie2?${afterName}[=:]${beforeCookie}`, "gi");

/** Whether the character at a position belongs to no cookie. */
export function endsCookies(text: string, at: number): boolean {
  const character = text.charAt(at);
  if (character === " " || character === "\t") return text.charAt(at - 1) !== ";";
  return /["'`\\<>\n\r\v\f]/.test(character);
}

/** Makes a part of an expression ignore case, while the rest is case-sensitive. */
function anyCase(source: string): string {
  return source.replaceAll(/\\.|[a-z]/g, (part) =>
    part.length > 1 ? part : `[${part}${part.toUpperCase()}]`,
  );
}

function uuid(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
