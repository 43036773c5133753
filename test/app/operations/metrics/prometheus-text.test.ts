import { expect, test } from 'vitest';
import { prometheusText } from '../../../../src/app/operations/metrics/read-metrics.ts';

test('gauges have help and type, labels are escaped, and gauges without samples are omitted', () => {
  const text = prometheusText([
    { name: 'a', help: 'One\nline \\ here.', samples: [{ value: 1.5 }] },
    { name: 'none', help: 'Nothing.', samples: [] },
    { name: 'b', help: 'B.', samples: [{ labels: { x: 'say "hi"\n\\', y: '' }, value: 2 }] },
  ]);
  expect(text).toBe(
    [
      '# HELP a One\\nline \\\\ here.\n# TYPE a gauge\na 1.5\n',
      '# HELP b B.\n# TYPE b gauge\nb{x="say \\"hi\\"\\n\\\\",y=""} 2\n',
    ].join(''),
  );
});
