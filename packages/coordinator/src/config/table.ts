import type { Settings } from './specs.ts';
import { eachSetting, GROUPS, type SettingSpec } from './specs.ts';

const HIDDEN = '***';
/** Parts of a path from this length on are taken for a key, as providers of ledgers put it there. */
const LONG_PART = 16;

/** An address without what it may carry that is secret: password, query and long parts of its path. */
function withoutSecrets(address: string): string {
  if (!URL.canParse(address)) return HIDDEN;
  const shown = new URL(address);
  if (shown.password !== '') shown.password = HIDDEN;
  if (shown.search !== '') shown.search = `?${HIDDEN}`;
  shown.hash = '';
  shown.pathname = shown.pathname
    .split('/')
    .map((part) => (part.length >= LONG_PART ? HIDDEN : part))
    .join('/');
  return shown.toString();
}

function shown(value: unknown, { secret }: SettingSpec): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '(not set)';
  if (secret === 'whole') return HIDDEN;
  return secret === 'url' ? withoutSecrets(String(value)) : String(value);
}

/** The settings in use as lines of a table, every secret hidden. */
export function settingsTable(settings: Settings): string {
  const rows = eachSetting().map(([key, name, spec]) => [name, shown(settings[key], spec)] as const);
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function defaultOf(name: string, spec: SettingSpec): string {
  if (name === 'LOG_PRETTY' || !('default' in spec)) return '–';
  const { default: value, unit } = spec;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '–';
  return unit === undefined ? `\`${value}\`` : `\`${value}\` ${unit}`;
}

/** Every setting for the reference, as Markdown: a table for each group. */
export function settingsReference(): string {
  const settings = eachSetting();
  const tables = Object.entries(GROUPS).map(([group, title]) => {
    const rows = settings
      .filter(([, , spec]) => spec.group === group)
      .map(([, name, spec]) => {
        const meaning = `${spec.desc}${'default' in spec ? '' : ' **Required.**'}`;
        return `| \`${name}\` | ${defaultOf(name, spec)} | ${meaning} | ${spec.secret ? 'yes' : ''} |`;
      });
    return [`## ${title}`, '', '| setting | default | meaning | secret |', '|---|---|---|---|', ...rows].join('\n');
  });
  return tables.join('\n\n');
}
