import { useMessages } from '@/i18n/messages'
import { NumberField } from '@/kit/form/fields'
import { SettingsPage } from '@/kit/settings/settings-page'
import { integerBetween } from '@/rules/numbers'
import { required } from '@/rules/texts'
import { messages } from './messages'

type Unit = 'seconds' | 'minutes' | 'hours' | 'days' | 'percent' | 'degrees' | 'tasks' | 'cards' | 'megabytes'
type Setting = readonly [name: string, unit: Unit, min: number, max: number]

/** What is set, by theme; the limits are the server's. */
const parts: readonly (readonly [
  theme: 'presence' | 'thresholds' | 'work' | 'kept' | 'allowed',
  settings: readonly Setting[],
])[] = [
  [
    'presence',
    [
      ['heartbeatSeconds', 'seconds', 5, 300],
      ['graceSeconds', 'seconds', 15, 3600],
    ],
  ],
  [
    'thresholds',
    [
      ['cpuPercent', 'percent', 1, 100],
      ['memoryPercent', 'percent', 1, 100],
      ['storagePercent', 'percent', 1, 100],
      ['temperature', 'degrees', 30, 120],
    ],
  ],
  [
    'work',
    [
      ['tasksPerHost', 'tasks', 1, 256],
      ['tasksPerFrame', 'tasks', 1, 5000],
      ['tasksPerRoom', 'tasks', 1, 10_000],
      ['stopAtFailedPercent', 'percent', 1, 100],
      ['approvalAbove', 'cards', 0, 99_999],
      ['approvalMinutes', 'minutes', 1, 1440],
    ],
  ],
  [
    'kept',
    [
      ['cardMinutesHours', 'hours', 1, 720],
      ['cardMinutesMegabytes', 'megabytes', 10, 99_999],
      ['placeDays', 'days', 1, 999],
      ['eventDays', 'days', 1, 999],
      ['operationDays', 'days', 1, 999],
    ],
  ],
  [
    'allowed',
    [
      ['allowedOfflineMinutes', 'minutes', 1, 9999],
      ['allowedFaultMinutes', 'minutes', 1, 9999],
      ['allowedMaintenanceMinutes', 'minutes', 1, 9999],
      ['allowedUpgradingMinutes', 'minutes', 1, 9999],
      ['allowedUnknownMinutes', 'minutes', 1, 9999],
    ],
  ],
]

/** How long a silence may last, what is too much, how much at once, how long things are kept. */
export default function DeviceSettingsPage() {
  const m = useMessages(messages)
  const hints: Readonly<Record<string, string>> = {
    approvalAbove: m.approvalHint,
    approvalMinutes: m.approvalMinutesHint,
    allowedOfflineMinutes: m.allowedHint,
  }
  return (
    <SettingsPage document="fleetSetting" messages={messages} need="fleetSetting:update">
      {() =>
        parts.map(([theme, settings]) => (
          <section key={theme} aria-label={m[theme]}>
            <h3>{m[theme]}</h3>
            <div className="kit-settings-fields">
              {settings.map(([name, unit, min, max]) => (
                <NumberField
                  key={name}
                  name={name}
                  unit={m[unit]}
                  rules={[required, integerBetween(min, max)]}
                  hint={hints[name]}
                />
              ))}
            </div>
          </section>
        ))
      }
    </SettingsPage>
  )
}
