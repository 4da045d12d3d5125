import { screens } from '@/api/catalogue'
import { defineMessages } from '@/i18n/messages'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { began, card, ended, onTime, phone, state, usedTime, user } from './columns'
import { useLiveSessions } from './live'
import { messages as listMessages } from './messages'

const messages = defineMessages({ ...listMessages.tree, title: screens.cloudPhoneSessions.title })
const filter = defineFilter({})
const ofPhone = [began, ended, card, state, onTime, usedTime]
const ofCard = [phone, began, ended, user, state, onTime, usedTime]

/** The stays of one phone, or those on one card. */
export default function SessionsOf(props: { phoneId: number } | { cardId: number }) {
  const list = useInnerList('phoneSessionList', filter, { ...props })
  useLiveSessions()
  return (
    <div className="kit-inner">
      <ListTable messages={messages} list={list} columns={'phoneId' in props ? ofPhone : ofCard} />
    </div>
  )
}
