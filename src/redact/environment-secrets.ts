import { hasRandomSegment } from "./looks-secret.ts";

/** A text that must not be shown, and its replacement. */
export interface Needle {
  readonly name: string;
  readonly text: string;
}

/**
 * Values of variables with a secret name, and passwords in addresses of any variable, in every spelling in which they
 * may occur. A value that is short, a plain word, a path or an address without a password is left out: redacting it
 * would damage ordinary text.
 */
export function environmentSecrets(env: Readonly<Record<string, string | undefined>>): Needle[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : secretsIn(name, value).flatMap((text) => spellings(name, text)),
  );
}

/** An environment without variables whose names say that they are secret, however short, and without passwords in addresses. */
export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name, value]) => {
    if (gitSetting.test(name)) return true;
    const saysSo = telling.test(name) && !harmless.test(name);
    return !saysSo && secretsIn(name, value ?? "").length === 0;
  });
  return Object.fromEntries(kept);
}

/** Git counts these, and fails where one is missing. */
const gitSetting = /^GIT_CONFIG_(?:KEY|VALUE)_\d+$/;

const least = 8;
const telling =
  /(?:^|_)(?:KEY|PASS|PAT|AUTH|JWT|DSN|CREDS?)(?:_|\d*$)|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY/i;
const harmless =
  /(?:^|_)(?:PATH|FILE|DIR|DIRECTORY|HOME|SOCK|SOCKET|USER|USERNAME|NAME|HOST|PORT|TYPE|MODE|METHOD|TTL|LENGTH|COUNT|LIMIT|VERSION|ENABLED|LAYOUT|EXPIRES?|EXPIRY|REGION|ISSUER|AUDIENCE|PARALLELISM)$|^(?:OLD)?PWD$/i;
const always = /PASSWORD|PASSWD|PASSPHRASE|(?:^|_)PASS(?:_|$)/i;
const common =
  /^(?:true|false|enabled|disabled|required|optional|password|passwort|changeme|change-me|production|development|localhost|undefined|default|anonymous|ask-pass|keyring|keychain|username|12345678|123456789)$/i;

function secretsIn(name: string, value: string): string[] {
  const text = value.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\/(?:[^\s/?#@]*:)?([^\s/?#@]*)@/i.exec(text);
  if (address !== null) return [address[1] ?? ""].filter((password) => password.length >= least);
  if (!telling.test(name) || harmless.test(name)) return [];
  if (text.length < least || common.test(text) || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return [];
  if (/^(?:~|\.{0,2})\//.test(text) && !hasRandomSegment(text)) return [];
  const isWord =
    /^[A-Za-z]+$|^[a-z]+(?:[-_. ][a-z]+)*$|^\d{1,11}(?:\.\d+)?$/.test(text) && text.length < 24;
  return isWord && !always.test(name) ? [] : [text];
}

/** The spellings of a text: plain, in JSON, in a URL, in base64 (at any offset). */
export function spellings(name: string, text: string): Needle[] {
  const lines = text.includes("\n") ? [text.replaceAll("\n", "\r\n"), ...longLines(text)] : [];
  const spelled = [text, ...lines].flatMap((one) => [
    one,
    JSON.stringify(one).slice(1, -1),
    encodeURIComponent(one.toWellFormed()),
  ]);
  const encoded = base64Cores(text);
  const all = new Set([...spelled, ...encoded].filter((one) => one.length >= least));
  return [...all].map((one) => ({ name, text: one }));
}

/** Long lines of a secret, which is often shown line by line. */
function longLines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.length >= 20 && !/^-----|\s/.test(line));
}

/** The base64 of a text at each of its three possible offsets, without the characters that depend on its neighbours. */
function base64Cores(text: string): string[] {
  const bytes = Buffer.from(text);
  const whole = bytes.toString("base64").replaceAll("=", "");
  if (bytes.length < 12) return [whole];
  const cores = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    return encoded.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
  });
  return [whole, ...cores];
}
