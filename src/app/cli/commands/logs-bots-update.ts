import { counted } from '../../../core/text/amounts.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import type { Command } from '../command.ts';
import { neededArguments } from '../flag-values.ts';
import { readBotList } from '../local/read-bot-list.ts';
import { shownPath } from '../local/shown-path.ts';
import { updateBotRanges } from '../local/update-bot-ranges.ts';

export const logsBotsUpdate: Command = {
  name: 'logs bots update',
  summary: "update the address ranges of bots from their operators' files",
  positionals: { shown: 'FILE|URL…', most: 100 },
  flags: {
    crawler: { value: 'NAME', help: 'the operator of the ranges (default: by the name of each file)' },
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
      const rows = lists.map((list) => [list.range_list, list.ranges, list.ranges_before, list.published]);
      await invocation.print(textTable(['list', 'ranges', 'before', 'published'], rows));
      invocation.say(
        `${counted(lists.length, 'list')} written to ${shownPath(workingDirectory, file)}; from now on, logs add verifies bots with them\n`,
      );
    }
    return 0;
  },
};
