import { generateKeyPairSync, sign } from "node:crypto";
import { isIPv4 } from "node:net";

/** The certificate and the key of a TLS server, as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** A certificate that vouches for itself, for names and IPv4 addresses. Made anew each time: no key lies in a repository. */
export function certificateFor(...names: string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(set(sequence(id(2, 5, 4, 3), text(0x0c, names[0] ?? ""))));
  const algorithm = sequence(id(1, 2, 840, 10045, 4, 3, 2));
  const facts = sequence(
    der(0xa0, number(2)),
    number(1),
    algorithm,
    name,
    sequence(text(0x17, "000101000000Z"), text(0x17, "491231235959Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      0xa3,
      sequence(
        extension(id(2, 5, 29, 19), sequence(der(0x01, Buffer.of(0xff)))),
        extension(id(2, 5, 29, 17), sequence(...names.map(alternativeName))),
      ),
    ),
  );
  const signature = Buffer.concat([Buffer.of(0), sign("sha256", facts, privateKey)]);
  const whole = sequence(facts, algorithm, der(0x03, signature));
  const lines = whole.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

function alternativeName(name: string): Buffer {
  return isIPv4(name) ? der(0x87, Buffer.from(name.split(".").map(Number))) : text(0x82, name);
}

function extension(kind: Buffer, value: Buffer): Buffer {
  return sequence(kind, der(0x04, value));
}

/** A tag, a length and what is in it (X.690). */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80
      ? [length]
      : length < 0x100
        ? [0x81, length]
        : [0x82, Math.floor(length / 0x100), length % 0x100];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function set(...parts: Buffer[]): Buffer {
  return der(0x31, ...parts);
}

function text(tag: number, value: string): Buffer {
  return der(tag, Buffer.from(value));
}

function number(value: number): Buffer {
  return der(0x02, Buffer.of(value));
}

function id(first: number, second: number, ...rest: number[]): Buffer {
  const bytes = rest.flatMap((part) => {
    const digits = [part % 0x80];
    for (let left = Math.floor(part / 0x80); left > 0; left = Math.floor(left / 0x80))
      digits.unshift(0x80 + (left % 0x80));
    return digits;
  });
  return der(0x06, Buffer.of(first * 40 + second, ...bytes));
}
