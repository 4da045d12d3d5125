import { numbers } from '@/api/words/TransferSpeed'
import { useMessages } from '@/i18n/messages'
import { SwitchField } from '@/kit/form/fields'
import { NumberSettings } from '@/kit/settings/number-settings'
import { SettingsPage } from '@/kit/settings/settings-page'
import { Drawer } from '@/ui/drawer'
import { speedMessages } from './speed-messages'

/** How fast the agents of a room may transfer where it has no limit of its own. */
export default function SpeedDrawer({ onClose }: { onClose: () => void }) {
  const m = useMessages(speedMessages)
  const hints = { downloadMbit: m.downloadHint, uploadMbit: m.uploadHint }
  return (
    <Drawer open size={640} title={m.title} onClose={onClose}>
      <SettingsPage document="transferSpeed" title={m.title} messages={speedMessages} need="storage:update">
        {() => (
          <>
            <SwitchField name="isLimited" hint={m.limitedHint} />
            <NumberSettings of={numbers} hints={hints} />
          </>
        )}
      </SettingsPage>
    </Drawer>
  )
}
