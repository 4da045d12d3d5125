import { numbers } from '@/api/words/SignIn'
import { useMessages } from '@/i18n/messages'
import { SwitchField } from '@/kit/form/fields'
import { NumberSettings } from '@/kit/settings/number-settings'
import { SettingsPage } from '@/kit/settings/settings-page'
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
          <NumberSettings of={numbers} hints={{ passwordMaxAgeDays: m.neverHint }} />
        </>
      )}
    </SettingsPage>
  )
}
