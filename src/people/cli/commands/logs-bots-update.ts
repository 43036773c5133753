import { counted } from '../../../core/text/amounts.ts';
import { textTable } from '../../../core/text/text-table.ts';
import type { Command } from '../command.ts';
import { neededArguments } from '../flag-values.ts';
import { readBotList } from '../local/read-bot-list.ts';
import { shownPath } from '../local/shown-path.ts';
import { updateBotRanges } from '../local/update-bot-ranges.ts';

export const logsBotsUpdate: Command = {
  name: 'logs bots update',
  summary: 'take the address ranges of bots from files of their operators',
  positionals: { shown: 'FILE|URL…', most: 100 },
  flags: {
    crawler: { value: 'NAME', help: 'whose they are; else each file is told by its name' },
  },
  async run(invocation) {
    const { projectDir } = await invocation.settings();
    const { workingDirectory, signal } = invocation;
    const hint = 'crawlhouse logs bots update https://openai.com/gptbot.json';
    const files = neededArguments(invocation, 'no file was named', hint);
    const today = new Date().toISOString().slice(0, 10);
    const { file, lists } = await updateBotRanges(
      { files, crawler: invocation.text('crawler'), projectDir, workingDirectory, today },
      await readBotList({ projectDir }),
      signal,
    );
    if (invocation.has('json')) await invocation.printJson({ file, lists });
    else {
      const rows = lists.map((one) => [one.range_list, one.ranges, one.ranges_before, one.published]);
      await invocation.print(textTable(['list', 'ranges', 'before', 'published'], rows));
      invocation.say(
        `${counted(lists.length, 'list')} written to ${shownPath(workingDirectory, file)}; logs that are added from now on are verified by them\n`,
      );
    }
    return 0;
  },
};
