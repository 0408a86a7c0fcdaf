import { RetinueError } from "../../contract/errors.ts";

/** The address of the API and the credentials for it. */
export interface Credentials {
  /** Default: `ANTHROPIC_API_KEY`. A key wins over a token. */
  apiKey?: string;
  /** Default: `ANTHROPIC_AUTH_TOKEN`. */
  authToken?: string;
  /** Default: `ANTHROPIC_BASE_URL`, else Anthropic's own server. */
  baseURL?: string;
}

export interface FoundCredentials {
  credential: { apiKey: string } | { authToken: string };
  /** Place where the credential was found, for display. */
  place: string;
  baseURL: string;
}

/** Finds the credentials. Throws `no_model` if there are none. */
export function findCredentials(options: Credentials, env: NodeJS.ProcessEnv): FoundCredentials {
  const baseURL = options.baseURL?.trim() || env["ANTHROPIC_BASE_URL"]?.trim() || ownServer;
  if (!URL.canParse(baseURL)) {
    throw new RetinueError(
      "invalid_config",
      `'${baseURL}' is not a valid address for the Anthropic API. Correct ANTHROPIC_BASE_URL or the option baseURL.`,
    );
  }
  const places = [
    ["apiKey", "the option apiKey", options.apiKey],
    ["authToken", "the option authToken", options.authToken],
    ["apiKey", "ANTHROPIC_API_KEY", env["ANTHROPIC_API_KEY"]],
    ["authToken", "ANTHROPIC_AUTH_TOKEN", env["ANTHROPIC_AUTH_TOKEN"]],
  ] as const;
  for (const [kind, place, value] of places) {
    const secret = value?.trim() ?? "";
    if (secret === "") continue;
    // Checked here, because the error of an invalid header would show the secret.
    if (!/^[\x21-\x7e]+$/.test(secret)) {
      throw new RetinueError(
        "no_model",
        `${place} contains characters that are not valid in a key. Copy the key again.`,
      );
    }
    const credential = kind === "apiKey" ? { apiKey: secret } : { authToken: secret };
    return { credential, place, baseURL };
  }
  throw new RetinueError(
    "no_model",
    "No credentials for the Anthropic API. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN for a bearer token).",
  );
}

const ownServer = "https://api.anthropic.com";
