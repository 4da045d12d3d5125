import { numbers } from '@/api/words/OpenDoor'
import { useMessages } from '@/i18n/messages'
import { SwitchField, TextAreaField } from '@/kit/form/fields'
import { NumberSettings } from '@/kit/settings/number-settings'
import { SettingsPage } from '@/kit/settings/settings-page'
import { doorMessages } from './messages'

/** When the Open API is shut, how long its logs are kept, and where applications may be told. */
export default function Door() {
  const m = useMessages(doorMessages)
  return (
    <SettingsPage document="openDoor" title={m.title} messages={doorMessages} need="openDoor:update">
      {() => (
        <>
          <SwitchField name="plainHttp" hint={m.plainHint} />
          <NumberSettings of={numbers} />
          <TextAreaField name="hookNets" hint={m.netsHint} />
        </>
      )}
    </SettingsPage>
  )
}
