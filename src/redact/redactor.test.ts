import { expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { randomText } from "./examples-fixture.ts";
import { createRedactor } from "./redactor.ts";
import { anyMarker, secretPatterns } from "./secret-patterns.ts";

const redactor = createRedactor();
const { text, deep } = redactor;

test("there are more than forty formats, each with a name of its own", () => {
  expect(new Set(secretPatterns.map(({ name }) => name)).size).toBe(secretPatterns.length);
  expect(secretPatterns.length).toBeGreaterThan(40);
});

test.each(secretPatterns)("$name: no example is left anywhere it may stand", ({ examples }) => {
  for (let seed = 0; seed < 30; seed += 1) {
    for (const [example, secret] of examples(randomText(seed))) {
      const places = [
        example,
        `see ${example} there`,
        `a\n${example}\nb`,
        `["${example}"]`,
        JSON.stringify({ text: `first\n${example}\n` }),
        `\u001b[32m${example}\u001b[0m`,
        `<td>${example}</td>`,
      ];
      for (const place of places) {
        expect(anyMarker.test(place)).toBe(true);
        const redacted = text(place);
        expect(redacted).not.toContain(secret);
        expect(redacted).toMatch(/\[redacted:[\w-]+\]/);
      }
    }
  }
});

test.each([
  "The key to success: the token is not a password, and the secret is out.",
  "const token = getToken(); key: string; password: string | undefined;",
  "if (options.password === undefined) return { token: settings.token, secret: null };",
  "DATABASE_URL=postgres://localhost:5432/shop PATH=/usr/local/bin:/usr/bin",
  'api_key: "YOUR_API_KEY" password: $PASSWORD token=${TOKEN} secret: <secret>',
  "commit 5b8334b6a1f0c9d8e7f6a5b4c3d2e1f0a9b8c7d6 by me, id 0199a1f2-7c3d-4e5f-8a9b-0c1d2e3f4a5b",
  "src/lifecycle/some-rather-long-file-name.test.ts:12:34: error TS2307",
  "integrity sha512-" + "x".repeat(12),
  "docker run -u 1000:1000 image; ssh user@host; git@github.com:me/shop.git",
])("ordinary text stays as it is: %s", (ordinary) => {
  expect(text(ordinary)).toBe(ordinary);
});

const kinds = ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA ", ""];
const fence = (side: string, kind: string): string => `-----${side} ${kind}PRIVATE KEY-----`;
const lines = (seed: number): string[] => [1, 2, 3].map((line) => randomText(seed * 9 + line)(64));

test.each(kinds)("a private key goes as a whole: %s", (kind) => {
  const body = lines(1);
  for (const newline of ["\n", "\r\n", String.raw`\n`, "\n    "]) {
    const block = [fence("BEGIN", kind), ...body, fence("END", kind)].join(newline);
    expect(text(`before ${block} after`)).toBe("before [redacted:private-key] after");
  }
});

test("what a cut left of a private key goes too", () => {
  const [one = "", two = "", three = ""] = lines(2);
  expect(text(`x\n${fence("BEGIN", "")}\n${one}\n${two.slice(0, 30)}`)).toBe(
    "x\n[redacted:private-key]",
  );
  const end = text(`${two.slice(30)}\n${three}\n${fence("END", "")}\nafter`);
  expect(end).toBe("[redacted:private-key]\nafter");
});

test("values of the environment go in every spelling", () => {
  const value = `pass word/${randomText(3)(12)}"+é`;
  const env = { SHOP_SECRET: value, HOME: "/home/someone", EDITOR: "nvim-nightly" };
  const own = createRedactor({ env });
  for (const spelled of [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString("base64"),
  ]) {
    const redacted = own.text(`a ${spelled} b`);
    expect(redacted).toMatch(/^a \[redacted:SHOP_SECRET\]\W* b$/);
  }
  for (const before of ["u:", "me:", "you:"]) {
    const encoded = Buffer.from(`${before}${value}`).toString("base64");
    expect(own.text(encoded)).toContain("[redacted:SHOP_SECRET]");
  }
  expect(own.text("/home/someone nvim-nightly")).toBe("/home/someone nvim-nightly");
});

test("own values and patterns go, and what was redacted is not redacted again", () => {
  const extra = { values: ["redacted", "wage list"], patterns: ["/emp-\\d+/i", "salary \\w+"] };
  const own = createRedactor({ extra });
  const once = own.text("EMP-12 has salary high on the wage list, redacted");
  expect(once).toBe(
    "[redacted:pattern] has [redacted:pattern] on the [redacted:value], [redacted:value]",
  );
  expect(own.text(once)).toBe(once);
});

test("a secret that is dressed up as redacted is redacted", () => {
  const [secret = ""] = secretPatterns[0]?.examples(randomText(1))[0] ?? [];
  expect(text(`[redacted:${secret}]`)).not.toContain(secret);
});

const pieces = secretPatterns.flatMap(({ examples }) =>
  examples(randomText(5)).map(([example]) => example),
);
const mixed = fc
  .array(
    fc.oneof(
      fc.constantFrom(...pieces),
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        " ",
        "\n",
        "=",
        ": ",
        '"',
        "password",
        "Bearer ",
        "-----",
        "A",
        "_",
        "[redacted:",
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

test("redacting twice is redacting once", () => {
  const own = createRedactor({ env: { A_TOKEN: "redacted:private-key", B_SECRET: "a-b 9=c:d" } });
  fc.assert(
    fc.property(mixed, (given) => {
      const once = own.text(given);
      expect(own.text(once)).toBe(once);
    }),
    { numRuns: 2000 },
  );
});

test("data keeps its shape, and is the same object when it holds no secret", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const before = JSON.stringify(value);
      const after = deep(value);
      expect(JSON.stringify(value)).toBe(before);
      if (JSON.stringify(after) === before) expect(after).toBe(value);
    }),
  );
  const secret = pieces[0] ?? "";
  const given = { list: [1, null, { [secret]: secret, plain: true }], [`${secret} `]: "x" };
  const frozen = JSON.stringify(given);
  const redacted = deep(given);
  expect(JSON.stringify(redacted)).not.toContain(secret);
  expect(redacted.list[2]).toMatchObject({ plain: true });
  expect(JSON.stringify(given)).toBe(frozen);
});

test("the name of a field goes however short it is", () => {
  const own = createRedactor({ extra: { values: ["hunter22"] } });
  expect(own.deep({ hunter22: 1 })).toEqual({ "[redacted:value]": 1 });
});

test("two names that become one keep both values, and __proto__ is only a name", () => {
  const [one, two] = [randomText(1), randomText(2)].map((random) => `ghp_${random(36)}`);
  const given = JSON.parse(`{"${one}": 1, "${two}": 2, "__proto__": {"x": "${one}"}}`) as object;
  const redacted = deep(given);
  expect(Object.values(redacted).slice(0, 2)).toEqual([1, 2]);
  expect(Object.keys(redacted)).toContain("__proto__");
  expect(Object.getPrototypeOf(redacted)).toBe(Object.prototype);
});

test("a secret is found every time, whatever was clean before it", () => {
  const [secret = ""] = pieces;
  for (let round = 0; round < 1000; round += 1) {
    const given = { id: `call ${round}`, path: "/src/index.ts", text: secret };
    expect(deep(given)).toEqual({ ...given, text: text(secret) });
  }
});

test("data may be nested as deep as it likes, and knotted", () => {
  let nested: unknown = pieces[0];
  for (let depth = 0; depth < 200_000; depth += 1) nested = depth % 2 === 0 ? [nested] : { nested };
  let inner = deep(nested);
  while (typeof inner === "object" && inner !== null) [inner] = Object.values(inner) as unknown[];
  expect(inner).toMatch(/^\[redacted:/);
  const knot: Record<string, unknown> = { text: "nothing" };
  knot["self"] = knot;
  expect(deep(knot)).toBe(knot);
});

test("what is not plain data is left alone", () => {
  const [secret = ""] = pieces;
  const given = { at: new Date(0), bytes: Buffer.from(secret), absent: undefined, text: secret };
  expect(deep(given)).toEqual({ ...given, text: text(secret) });
  expect(createRedactor({ enabled: false }).text(secret)).toBe(secret);
});

test.each(["curl -u\tme:", "curl --user\tme:", "sshpass\t-p\t", "BEARER\t"])(
  "a tab announces a secret as a blank does: %j",
  (before) => {
    expect(createRedactor().text(`${before}hunter2Hunter2xyz44`)).not.toContain("hunter2");
  },
);

test.each(["long", "1", "x", "token", "Z9"])(
  "a token that is glued to a word or a digit is redacted: %s",
  (before) => {
    const random = randomText(11);
    const secrets = [
      `ghp_${random(36)}`,
      `github_pat_${random(82)}`,
      `glpat-${random(20)}`,
      `xoxb-${random(40)}`,
      `sk-ant-api03-${random(95)}`,
      `AKIA${random(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`,
      `AIza${random(35)}`,
    ];
    for (const secret of secrets) {
      expect(text(`see ${before}${secret} there`)).not.toContain(secret);
      expect(text(`${before}${secret}`)).toMatch(/^\w+\[redacted:[\w-]+\]$/);
    }
  },
);

test("words that end like the beginning of a token stay as they are", () => {
  const hash = randomText(12)(40, "0123456789abcdef");
  for (const word of [
    `task-${hash}`,
    `monkey-${hash.slice(0, 32)}`,
    `mask_test_datasetGeneratorOptions`,
    `task-admin-dashboard-settings-page`,
    `disk-proj-some-rather-long-project-name`,
    `utf8_${hash}`,
    `archvs.someRatherLongPropertyName`,
  ])
    expect(text(word)).toBe(word);
});

test("a value behind an equals sign or colon that JSON has escaped is redacted, in any case of letters", () => {
  const secret = `${randomText(13)(19)}8`;
  for (const before of [
    String.raw`{"url":"https://git.example/?a\u003d1\u0026access_token\u003d`,
    String.raw`password\u003D`,
    String.raw`{"text":"{\\"api_key\\"\\u003a\\"`,
    String.raw`Authorization\u003a Bearer `,
    String.raw`DEPLOY_KEY\u003d`,
    String.raw`x\u003dsk-`,
  ]) {
    const whole = before.endsWith("sk-") ? randomText(14)(40) : secret;
    expect(text(`${before}${whole}"`)).not.toContain(whole);
  }
});

test("cookies of a header are redacted, its names and attributes stay where they can", () => {
  const [one = "", two = ""] = [15, 16].map((seed) => `${randomText(seed)(24)}4`);
  expect(text(`set-cookie: sid=${one}; Path=/; HttpOnly`)).toBe(
    "set-cookie: sid=[redacted:set-cookie]; Path=/; HttpOnly",
  );
  expect(text(`Cookie: theme=dark; sid=${one}; csrf=${two}\nHost: shop.example`)).toBe(
    "Cookie: [redacted:cookie]\nHost: shop.example",
  );
  expect(text(`curl -H "Cookie: a=${one}; b=${two}" https://shop.example`)).toBe(
    'curl -H "Cookie: [redacted:cookie]" https://shop.example',
  );
  expect(text(`Cookie: sid=${one} was sent`)).toBe("Cookie: [redacted:cookie] was sent");
  for (const ordinary of [
    "Cookie: theme=dark; lang=en-GB; seen=2026-01-01",
    "const cookie = request.headers.cookie; cookie: string;",
    "Set-Cookie: theme=dark-and-compact; Path=/",
    "The cookie: a small text, which a server sets=makes and reads.",
  ])
    expect(text(ordinary)).toBe(ordinary);
});
