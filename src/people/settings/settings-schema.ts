import { settingsFile } from '../../project/settings/settings-file.ts';
import { WarehouseSetting } from './warehouse-setting.ts';

/** Every setting, as crawlhouse.yaml writes it; its texts are the reference and the editor's help. */
export const SettingsFile = settingsFile(WarehouseSetting);
