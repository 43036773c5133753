/** Replace nothing but the name: a site may treat browsers and crawlers differently. */
const AGENTS = {
  web: (name: string) => `Mozilla/5.0 (compatible; ${name})`,
  mobile: (name: string) =>
    `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36 (compatible; ${name})`,
} as const;

export type AgentKind = keyof typeof AGENTS;

/** The User-Agent header: the name, within what is usual for the kind. */
export function userAgentHeader(name: string, kind: AgentKind): string {
  return AGENTS[kind](name);
}

/** The name that groups of robots.txt are matched with: the first word, without a version (RFC 9309 §2.2.1). */
export function productToken(name: string): string {
  return /^[a-z_-]+/i.exec(name)?.[0] ?? name;
}
