import { numbers } from '@/api/words/PhoneLife'
import { useMessages } from '@/i18n/messages'
import { NumberSettings } from '@/kit/settings/number-settings'
import { SettingsPage } from '@/kit/settings/settings-page'
import { Drawer } from '@/ui/drawer'
import { rulesMessages } from './rules-messages'

/** How long a released phone can be had back, and how long steps are kept. */
export default function RulesDrawer({ onClose }: { onClose: () => void }) {
  const m = useMessages(rulesMessages)
  const hints = { stay: m.stayHint, stepDays: m.stepDaysHint }
  return (
    <Drawer open size={640} title={m.title} onClose={onClose}>
      <SettingsPage document="phoneLife" title={m.title} messages={rulesMessages} need="phoneRule:update">
        {() => <NumberSettings of={numbers} hints={hints} />}
      </SettingsPage>
    </Drawer>
  )
}
