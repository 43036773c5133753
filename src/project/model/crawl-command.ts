/** The command of a ledger's run that stands for a crawl of a website, by its start URL or its host. */
export function crawlCommand(site: string): string {
  return `crawl ${URL.parse(site)?.host || site}`;
}
