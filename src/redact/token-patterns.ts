import { alphanumeric, base64, classOf, edge, hex, word } from "./alphabets.ts";
import type { SecretPattern } from "./secret-patterns.ts";

/**
 * Secrets with a prefix that their issuer chose so that they can be found. A row: the name, the prefixes, the
 * characters that follow with their least number, and the length of an example.
 */
const rows: readonly TokenRow[] = [
  // Models
  ["anthropic-key", ["sk-ant-api03-", "sk-ant-admin01-", "sk-ant-oat01-"], word, 20, 95],
  ["openai-project-key", ["sk-proj-", "sk-svcacct-", "sk-admin-"], word, 20, 120],
  ["openrouter-key", ["sk-or-v1-"], hex, 32, 64],
  ["openai-key", ["sk-"], alphanumeric, 32, 48],
  ["hugging-face-token", ["hf_", "api_org_"], alphanumeric, 30, 34],
  ["groq-key", ["gsk_"], alphanumeric, 40, 52],
  ["perplexity-key", ["pplx-"], alphanumeric, 40, 48],
  ["replicate-token", ["r8_"], alphanumeric, 32, 37],
  ["xai-key", ["xai-"], alphanumeric, 60, 80],
  ["langsmith-key", ["lsv2_pt_", "lsv2_sk_"], word, 32, 43],

  // Code and packages
  ["github-token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], alphanumeric, 30, 36],
  ["github-fine-grained-token", ["github_pat_"], word, 40, 82],
  [
    "gitlab-token",
    ["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "glft-"],
    word,
    20,
    20,
  ],
  ["npm-token", ["npm_"], alphanumeric, 36, 36],
  ["pypi-token", ["pypi-AgEI", "pypi-AgEN"], word, 40, 150],
  ["rubygems-key", ["rubygems_"], hex, 40, 48],
  ["docker-hub-token", ["dckr_pat_", "dckr_oat_"], word, 24, 27],
  ["circleci-token", ["CCIPAT_", "CCIPRJ_"], word, 30, 62],
  ["buildkite-token", ["bkua_"], hex, 40, 40],
  ["postman-key", ["PMAK-"], word, 40, 59],
  ["sentry-token", ["sntrys_", "sntryu_"], base64, 40, 64],

  // Clouds and infrastructure
  ["google-oauth-token", ["ya29."], word, 20, 120],
  ["google-client-secret", ["GOCSPX-"], word, 24, 28],
  ["digitalocean-token", ["dop_v1_", "doo_v1_", "dor_v1_"], hex, 64, 64],
  ["heroku-key", ["HRKU-"], word, 30, 60],
  ["vault-token", ["hvs.", "hvb.", "hvr."], word, 24, 90],
  ["pulumi-token", ["pul-"], hex, 40, 40],
  ["doppler-token", ["dp.pt.", "dp.st.", "dp.ct."], alphanumeric, 40, 43],
  ["planetscale-token", ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], word, 32, 43],
  ["supabase-token", ["sbp_"], hex, 40, 40],
  ["netlify-token", ["nfp_"], alphanumeric, 36, 36],
  ["tailscale-key", ["tskey-auth-", "tskey-api-", "tskey-client-"], word, 20, 40],
  ["grafana-token", ["glsa_", "glc_"], base64, 32, 41],
  ["new-relic-key", ["NRAK-"], alphanumeric, 27, 27],
  ["age-secret-key", ["AGE-SECRET-KEY-1"], "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 50, 58],

  // Money, mail and people
  ["stripe-key", ["sk_live_", "sk_test_", "rk_live_", "rk_test_"], alphanumeric, 16, 99],
  ["stripe-webhook-secret", ["whsec_"], base64, 24, 32],
  ["square-token", ["sq0atp-", "sq0csp-"], word, 22, 43],
  ["shopify-token", ["shpat_", "shpca_", "shppa_", "shpss_"], hex, 32, 32],
  [
    "slack-token",
    ["xoxb-", "xoxp-", "xoxa-", "xoxe-", "xoxo-", "xoxr-", "xoxs-", "xoxc-", "xoxd-"],
    word,
    20,
    56,
  ],
  ["slack-app-token", ["xapp-1-"], word, 20, 90],
  ["linear-key", ["lin_api_", "lin_oauth_"], alphanumeric, 32, 40],
  ["notion-token", ["ntn_", "secret_"], alphanumeric, 40, 46],
  ["figma-token", ["figd_"], word, 40, 43],
  ["mailgun-key", ["key-"], hex, 32, 32],
  ["brevo-key", ["xkeysib-"], word, 64, 81],
];

type TokenRow = readonly [
  name: string,
  prefixes: readonly string[],
  alphabet: string,
  least: number,
  usual: number,
];

/**
 * Prefixes that do not match inside a word: words end like these (`task-`, `mask_test_`, `monkey-`), or they are so
 * short that they occur by chance.
 */
const onlyApart: ReadonlySet<string> = new Set([
  "sk-",
  "sk-proj-",
  "sk-svcacct-",
  "sk-admin-",
  "sk_live_",
  "sk_test_",
  "rk_live_",
  "rk_test_",
  "key-",
  "hf_",
  "r8_",
  "hvs.",
  "hvb.",
  "hvr.",
]);

export const tokenPatterns: readonly SecretPattern[] = rows.map(
  ([name, prefixes, alphabet, least, usual]) => ({
    name,
    markers: prefixes,
    find: new RegExp(`(?:${prefixes.map(begun).join("|")})${classOf(alphabet)}{${least},}`, "g"),
    examples: (random) =>
      prefixes.map((prefix) => {
        const secret = prefix + random(usual, alphabet);
        return [secret, secret] as const;
      }),
  }),
);

function begun(prefix: string): string {
  const source = prefix.replaceAll(".", String.raw`\.`);
  return onlyApart.has(prefix) ? edge + source : source;
}
