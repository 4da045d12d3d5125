import { useMessages } from '@/i18n/messages'
import { NumberField } from '@/kit/form/fields'
import { SettingsPage } from '@/kit/settings/settings-page'
import { integerBetween } from '@/rules/numbers'
import { required } from '@/rules/texts'
import { Drawer } from '@/ui/drawer'
import { ruleMessages } from './messages'

const rules = [required, integerBetween(1, 30)]

/** How long a phone is kept once its time is up. */
export default function RulesDrawer({ onClose }: { onClose: () => void }) {
  const m = useMessages(ruleMessages)
  return (
    <Drawer open size={640} title={m.title} onClose={onClose}>
      <SettingsPage document="phoneLife" title={m.title} messages={ruleMessages} need="phoneRule:update">
        {() => (
          <div className="kit-settings-fields">
            <NumberField name="releaseGrace" unit={m.days} rules={rules} hint={m.releaseGraceHint} />
            <NumberField name="stay" unit={m.days} rules={rules} hint={m.stayHint} />
          </div>
        )}
      </SettingsPage>
    </Drawer>
  )
}
