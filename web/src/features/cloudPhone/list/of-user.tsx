import { screens } from '@/api/catalogue'
import { defineMessages } from '@/i18n/messages'
import { DetailPath } from '@/kit/list/detail-link'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { phonePath } from '../links'
import { card, code, expiry, planColumn, state } from './columns'
import { messages as listMessages } from './messages'

const messages = defineMessages({ ...listMessages.tree, title: screens.cloudPhoneList.title })
const filter = defineFilter({})
const columns = [code, planColumn, state, card, expiry]

/** The phones of one user. */
export default function PhonesOfUser({ userId }: { userId: number }) {
  const list = useInnerList('phoneList', filter, { userId })
  return (
    <div className="kit-inner">
      <DetailPath value={phonePath}>
        <ListTable messages={messages} list={list} columns={columns} />
      </DetailPath>
    </div>
  )
}
