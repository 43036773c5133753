const SEVERITIES = ['info', 'low', 'moderate', 'high', 'critical'] as const;
/** From this severity on a known vulnerability fails the audit. */
const LEAST = 'moderate';

interface Audit {
  readonly message?: string;
  readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> };
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string }>>;
}

/** What `npm audit --json` comes to, in one line. */
export function verdictOf(stdout: string): { readonly line: string; readonly isGood: boolean } {
  const audit = parsed(stdout);
  const counts = audit?.metadata?.vulnerabilities;
  if (counts === undefined) {
    const why = audit?.message ?? 'no answer';
    return { line: `audit skipped: the registry does not answer audits (${why})`, isGood: true };
  }
  const grave = SEVERITIES.slice(SEVERITIES.indexOf(LEAST));
  const isGood = grave.every((severity) => (counts[severity] ?? 0) === 0);
  const told = SEVERITIES.map((severity) => `${counts[severity] ?? 0} ${severity}`).join(', ');
  const names = Object.entries(audit?.vulnerabilities ?? {}).map(
    ([name, { severity }]) => `${name} (${severity})`,
  );
  return { line: [`audit: ${told}`, ...names].join('\n'), isGood };
}

function parsed(text: string): Audit | undefined {
  try {
    return JSON.parse(text) as Audit;
  } catch {
    return undefined;
  }
}
