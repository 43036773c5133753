import { expect, onTestFinished, test } from 'vitest';
import { capture, projectFolder } from './capture.ts';

/** Makes stderr a terminal of that many columns until the test ends. */
function terminal(columns: number): void {
  const before = { isTTY: process.stderr.isTTY, columns: process.stderr.columns };
  Object.assign(process.stderr, { isTTY: true, columns });
  onTestFinished(() => void Object.assign(process.stderr, before));
}

test('on a terminal, a log line replaces the progress bar', async () => {
  // Nothing listens on that port.
  const folder = await projectFolder('base_url: http://127.0.0.1:9\naccess_token: planted');
  terminal(80);
  const { code, stderr } = await capture('run', '--project-dir', folder);
  expect(code).toBe(3);
  const logged = stderr.split('\n').filter((line) => line.includes(' warn  request failed'));
  expect(logged.length).toBeGreaterThanOrEqual(4);
  // What stood in the line is written over.
  const shown = logged.map((line) => line.slice(line.lastIndexOf('\r')));
  expect(shown.filter((line) => !line.startsWith('\r\x1b[J20'))).toEqual([]);
  expect(stderr).toMatch(/^Try: .*doctor; once the service responds, repeat the command$/m);
});
