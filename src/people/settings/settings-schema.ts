import { settingsFile } from '../../project/settings/settings-file.ts';
import { WarehouseSetting } from './warehouse-setting.ts';

/** Every setting, as crawlhouse.yaml writes it (docs/settings.md). */
export const SettingsFile = settingsFile(WarehouseSetting);
