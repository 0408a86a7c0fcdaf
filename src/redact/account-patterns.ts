import { digits, edge, hex, word } from "./alphabets.ts";
import type { RandomText, SecretPattern } from "./secret-patterns.ts";

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Secrets with a recognisable shape of more parts than a prefix and the rest. */
export const accountPatterns: readonly SecretPattern[] = [
  {
    name: "aws-access-key-id",
    markers: ["AKIA", "ASIA", "ABIA"],
    find: /(?:AKIA|ASIA|ABIA)[A-Z2-7]{16}(?![A-Za-z0-9])/g,
    examples: whole((random) => `AKIA${random(16, base32)}`),
  },
  {
    name: "google-api-key",
    markers: ["AIza"],
    find: /AIza[\w-]{35}/g,
    examples: whole((random) => `AIza${random(35, word)}`),
  },
  {
    name: "google-refresh-token",
    markers: ["1//0"],
    find: expression`1//0[\w-]{30,}`,
    examples: whole((random) => `1//0${random(60, word)}`),
  },
  {
    name: "azure-client-secret",
    markers: ["8Q~", "7Q~"],
    find: expression`[\w.~-]{3}[78]Q~[\w.~-]{31,34}`,
    examples: whole((random) => `${random(3)}8Q~${random(34, word)}`),
  },
  {
    name: "azure-signature",
    markers: ["sig=", "sig\\u003"],
    find: /(?<before>(?:[?&]|\\u0026)sig(?:=|\\u003[dD]))[A-Za-z0-9%+/=]{40,}/g,
    examples: (random) => {
      const secret = `${random(43)}%3D`;
      return [[`https://x.blob.example/y?sv=2026-01-01&sig=${secret}&se=z`, secret]];
    },
  },
  {
    name: "slack-webhook",
    markers: ["hooks.slack.com/"],
    find: /(?<before>hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_-]{24,}/g,
    examples: (random) => {
      const secret = `T${random(8, base32)}/B${random(10, base32)}/${random(24)}`;
      return [[`https://hooks.slack.com/services/${secret}`, secret]];
    },
  },
  {
    name: "discord-webhook",
    markers: ["/api/webhooks/"],
    find: /(?<before>\/api\/webhooks\/\d{10,24}\/)[\w-]{40,}/g,
    examples: (random) => {
      const secret = random(68, word);
      return [[`https://discord.com/api/webhooks/${random(18, digits)}/${secret}`, secret]];
    },
  },
  {
    name: "discord-token",
    markers: ["."],
    find: expression`[MNO][\w-]{23,27}\.[\w-]{6,7}\.[\w-]{27,45}(?![\w-])`,
    examples: whole((random) => `M${random(25)}.${random(6, word)}.${random(38)}`),
  },
  {
    name: "telegram-bot-token",
    markers: [":AA"],
    find: /(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])/g,
    examples: whole((random) => `${random(10, "123456789")}:AA${random(33)}`),
  },
  {
    name: "twilio-key",
    markers: ["SK"],
    find: expression`SK[0-9a-f]{32}(?![0-9a-zA-Z])`,
    examples: whole((random) => `SK${random(32, hex)}`),
  },
  {
    name: "sendgrid-key",
    markers: ["SG."],
    find: expression`SG\.[\w-]{16,32}\.[\w-]{30,64}`,
    examples: whole((random) => `SG.${random(22, word)}.${random(43, word)}`),
  },
  {
    name: "databricks-token",
    markers: ["dapi"],
    find: /dapi[0-9a-f]{32}(?:-\d)?(?![0-9a-zA-Z])/g,
    examples: whole((random) => `dapi${random(32, hex)}`),
  },
  {
    name: "square-access-token",
    markers: ["EAAA"],
    find: expression`EAAA[\w-]{56,}`,
    examples: whole((random) => `EAAA${random(60, word)}`),
  },
  {
    name: "atlassian-token",
    markers: ["ATATT3"],
    find: /ATATT3[\w=-]{100,}/g,
    examples: whole((random) => `ATATT3${random(180, word)}`),
  },
  {
    name: "terraform-token",
    markers: [".atlasv1."],
    find: expression`[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,}`,
    examples: whole((random) => `${random(14)}.atlasv1.${random(67, word)}`),
  },
  {
    name: "airtable-token",
    markers: ["pat"],
    find: expression`pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`,
    examples: whole((random) => `pat${random(14)}.${random(64, hex)}`),
  },
  {
    name: "json-web-token",
    markers: ["eyJ"],
    find: /(?:(?<![\w-])|(?<=\\[nrt]|%[0-9A-Fa-f]{2}|\[[0-9;]{0,8}m))eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){1,3}/g,
    examples: whole(
      (random) => `eyJ${random(33, word)}.eyJ${random(80, word)}.${random(43, word)}`,
    ),
  },
];

function expression({ raw: [source] }: TemplateStringsArray): RegExp {
  return new RegExp(`${edge}${source}`, "g");
}

/** An example that is all secret. */
function whole(make: (random: RandomText) => string): SecretPattern["examples"] {
  return (random) => {
    const secret = make(random);
    return [[secret, secret]];
  };
}
