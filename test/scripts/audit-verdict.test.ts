import { expect, test } from 'vitest';
import { verdictOf } from '../../scripts/audit-verdict.ts';

const audit = (vulnerabilities: object, metadata: object) =>
  JSON.stringify({ vulnerabilities, metadata: { vulnerabilities: metadata } });

test('known vulnerabilities of moderate or higher severity fail the audit, by name', () => {
  expect(verdictOf(audit({}, { info: 0, low: 0, moderate: 0, high: 0, critical: 0 }))).toEqual({
    line: 'audit: 0 info, 0 low, 0 moderate, 0 high, 0 critical',
    isGood: true,
  });
  expect(verdictOf(audit({ left: { severity: 'low' } }, { low: 1 })).isGood).toBe(true);
  for (const severity of ['moderate', 'high', 'critical']) {
    const { line, isGood } = verdictOf(audit({ left: { severity } }, { [severity]: 1 }));
    expect([isGood, line]).toEqual([false, expect.stringContaining(`left (${severity})`)]);
  }
});

test('a registry without an audit endpoint is reported and fails nothing', () => {
  for (const stdout of ['{"message":"405 Method Not Allowed","statusCode":405}', '', 'no JSON', 'null']) {
    const { line, isGood } = verdictOf(stdout);
    expect([isGood, line]).toEqual([true, expect.stringContaining('audit skipped')]);
  }
});
