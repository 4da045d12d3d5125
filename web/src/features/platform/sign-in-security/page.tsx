import { useMessages } from '@/i18n/messages'
import { NumberField, SwitchField } from '@/kit/form/fields'
import { SettingsPage } from '@/kit/settings/settings-page'
import { integerBetween } from '@/rules/numbers'
import { required } from '@/rules/texts'
import { messages } from './messages'

/** How operators sign in. */
export default function SignInSecurityPage() {
  const m = useMessages(messages)
  return (
    <SettingsPage document="signInSetting" messages={messages} need="signInSetting:update">
      {() => (
        <>
          <SwitchField name="singleSession" hint={m.singleHint} />
          <SwitchField name="secondFactorForPower" />
          <div className="kit-settings-fields">
            <NumberField name="idleMinutes" unit={m.minutes} rules={[required, integerBetween(5, 1440)]} />
            <NumberField name="absoluteHours" unit={m.hours} rules={[required, integerBetween(1, 168)]} />
            <NumberField name="captchaAfter" unit={m.times} rules={[required, integerBetween(3, 10)]} />
            <NumberField
              name="passwordMaxAgeDays"
              unit={m.days}
              rules={[required, integerBetween(0, 365)]}
              hint={m.neverHint}
            />
          </div>
        </>
      )}
    </SettingsPage>
  )
}
