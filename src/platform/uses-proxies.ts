/** Whether Node's own clients follow `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
export function usesProxies(): boolean {
  const options = [...process.execArgv, ...(process.env["NODE_OPTIONS"] ?? "").split(/\s+/)];
  return process.env["NODE_USE_ENV_PROXY"] === "1" || options.includes("--use-env-proxy");
}
