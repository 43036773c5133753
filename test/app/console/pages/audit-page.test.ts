import { expect, test } from 'vitest';
import type { PageRequest } from '../../../../src/app/console/page-parts/console-page.ts';
import { type AuditLine, DO_ACTION } from '../../../../src/app/console/pages/audit-page.ts';

const LINE: AuditLine = {
  id: 7,
  began_at: '2026-11-20T06:00:00Z',
  subject: 'ada',
  command: 'crawlhouse run',
  ended_at: null,
  outcome: null,
  message: null,
  run_id: null,
  status: 'running',
};

function drawn(more: Partial<AuditLine>): string {
  return DO_ACTION.draw({ ...LINE, ...more }, {} as PageRequest).body.text;
}

test.each<[Partial<AuditLine>, string]>([
  [{}, 'It has no run yet.'],
  [{ status: 'unknown' }, 'Its result is unknown'],
  [{ run_id: 'r1' }, 'Run <a'],
  [{ status: 'failed', outcome: '3', ended_at: '2026-11-20T06:01:00Z' }, ', exit code 3'],
  [{ status: 'failed', message: 'no <disk>' }, 'no &lt;disk&gt;'],
])('an action with %j says so, and no other does', (more, sentence) => {
  const others = [{}, { status: 'unknown' }, { run_id: 'r1' }, { status: 'done', outcome: '0' }] as const;
  expect(drawn(more)).toContain(sentence);
  const rest = others.filter((one) => JSON.stringify(one) !== JSON.stringify(more));
  for (const other of rest) expect(drawn(other)).not.toContain(sentence);
});
