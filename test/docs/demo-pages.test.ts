import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildSite } from '../../scripts/demo-site/build-site.ts';
import { readFaults } from '../../scripts/demo-site/faults.ts';

test('the documentation has every page that a fault of the demo is planted in', () => {
  // A section that got shorter may be no page of its own now: then plant the fault in another one (faults.yaml).
  const answers = buildSite(
    join(import.meta.dirname, '../../docs'),
    readFaults().faults,
    'http://site.example',
  );
  expect(answers.size).toBeGreaterThan(200);
});
