import { Link } from 'react-router'
import { useCan } from '@/access/permissions'
import { defineMessages, useMessages } from '@/i18n/messages'
import { Placeholder } from '@/ui/placeholder'

const messages = defineMessages({
  noRooms: ['还没有机房', 'No rooms yet'],
  noRoomsHint: ['在“设备地址”中新建机房、机架与主机', 'Create rooms, frames and hosts under “Room operator config”'],
  toPlaces: ['前往设备地址', 'Go to Room operator config'],
})

/** Stands where rooms would be, and leads to where they are made. */
export function NoRooms() {
  const m = useMessages(messages)
  const mayMake = useCan()('room:create')
  const way = mayMake && (
    <Link className="sky-link" to="/device/address">
      {m.toPlaces}
    </Link>
  )
  return <Placeholder title={m.noRooms} hint={m.noRoomsHint} action={way} />
}
