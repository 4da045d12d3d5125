import { numbers } from '@/api/words/PhoneLife'
import { numbers as queueNumbers } from '@/api/words/PhoneQueue'
import { useMessages } from '@/i18n/messages'
import { NumberSettings } from '@/kit/settings/number-settings'
import { SettingsPage } from '@/kit/settings/settings-page'
import { Drawer } from '@/ui/drawer'
import { Tabs } from '@/ui/tabs'
import { messages, queueMessages, ruleMessages } from './messages'

/** How long a phone is kept once its time is up, and how many wait for one. */
export default function RulesDrawer({ onClose }: { onClose: () => void }) {
  const { rules } = useMessages(messages)
  const m = useMessages(ruleMessages)
  const q = useMessages(queueMessages)
  const life = (
    <SettingsPage document="phoneLife" title={m.title} messages={ruleMessages} need="phoneRule:update">
      {() => <NumberSettings of={numbers} hints={{ releaseGrace: m.releaseGraceHint, stay: m.stayHint }} />}
    </SettingsPage>
  )
  const queue = (
    <SettingsPage document="phoneQueue" title={q.title} messages={queueMessages} need="phoneRule:update">
      {() => (
        <NumberSettings of={queueNumbers} hints={{ queueMax: q.queueMaxHint, reconnectGrace: q.reconnectGraceHint }} />
      )}
    </SettingsPage>
  )
  return (
    <Drawer open size={640} title={rules} onClose={onClose}>
      <Tabs
        className="kit-tabs"
        items={[
          { key: 'life', label: m.title, children: life },
          { key: 'queue', label: q.title, children: queue },
        ]}
      />
    </Drawer>
  )
}
