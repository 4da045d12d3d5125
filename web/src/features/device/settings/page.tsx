import { numbers } from '@/api/words/FleetSettings'
import { useMessages } from '@/i18n/messages'
import { NumberSettings } from '@/kit/settings/number-settings'
import { SettingsPage } from '@/kit/settings/settings-page'
import { messages } from './messages'

type Setting = keyof typeof numbers

/** What is set, by theme. */
const parts: readonly (readonly [
  theme: 'presence' | 'thresholds' | 'work' | 'kept' | 'allowed',
  settings: readonly Setting[],
])[] = [
  ['presence', ['heartbeatSeconds', 'graceSeconds']],
  ['thresholds', ['cpuPercent', 'memoryPercent', 'storagePercent', 'temperature']],
  [
    'work',
    ['tasksPerHost', 'tasksPerFrame', 'tasksPerRoom', 'stopAtFailedPercent', 'approvalAbove', 'approvalMinutes'],
  ],
  ['kept', ['cardMinutesHours', 'cardMinutesMegabytes', 'placeDays', 'eventDays', 'operationDays']],
  [
    'allowed',
    [
      'allowedOfflineMinutes',
      'allowedFaultMinutes',
      'allowedMaintenanceMinutes',
      'allowedUpgradingMinutes',
      'allowedUnknownMinutes',
    ],
  ],
]

/** How long a silence may last, what is too much, how much at once, how long things are kept. */
export default function DeviceSettingsPage() {
  const m = useMessages(messages)
  const hints = {
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
            <NumberSettings of={numbers} names={settings} hints={hints} />
          </section>
        ))
      }
    </SettingsPage>
  )
}
