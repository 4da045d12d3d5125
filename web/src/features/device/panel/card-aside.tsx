import { useId } from 'react'
import { Link } from 'react-router'
import { useApiQuery } from '@/api/query'
import { words as cardWords } from '@/api/words/CardView'
import { defineMessages, useMessages } from '@/i18n/messages'
import { ActionButtons } from '@/kit/action-buttons'
import { ChoiceLabel, yesNo } from '@/kit/choices'
import { CopyButton } from '@/kit/copy-button'
import { Facts } from '@/kit/detail/facts'
import { Labels } from '@/kit/labels'
import { Loaded } from '@/kit/loaded'
import { TimeText } from '@/kit/time-text'
import { useActions } from '@/kit/use-actions'
import { Drawer } from '@/ui/drawer'
import { CloseIcon } from '@/ui/icons'
import { fact, maintenance, networkStatus, occupancy, power, runStatus } from '../choices'
import { useLiveCards } from '../live'
import { useLikelyActs } from '../operations/use-likely-acts'
import { CardPhone } from './card-phone'
import { messages } from './messages'

const fields = defineMessages({
  fields: {
    ...cardWords,
    reached: ['代理', 'Agent'],
    tcpOpen: ['端口', 'Port'],
    adbAnswers: ['ADB', 'ADB'],
    booted: ['安卓系统', 'Android'],
    extranet: ['外网地址', 'Extranet address'],
  },
})

interface CardAsideProps {
  id: number
  /** Beside the racks; where there is no room for that, over them. */
  isBeside: boolean
  onClose: () => void
}

/** The detail of one card, beside the racks or in a drawer. */
export function CardAside({ id, isBeside, onClose }: CardAsideProps) {
  const m = useMessages(messages)
  const title = useId()
  const query = useApiQuery('cardGet', { path: { id } })
  useLiveCards([], (deltas) => {
    if (deltas.some((delta) => delta.id === id)) void query.refetch()
  })
  const content = <Loaded query={query}>{(card) => <CardFacts card={card} />}</Loaded>
  if (!isBeside) {
    return (
      <Drawer open size={400} title={m.detail} onClose={onClose}>
        {content}
      </Drawer>
    )
  }
  return (
    <aside className="panel-aside" aria-labelledby={title}>
      <header>
        <strong id={title}>{m.detail}</strong>
        <span className="kit-gap" />
        <button type="button" className="sky-icon-button" aria-label={m.close} onClick={onClose}>
          <CloseIcon aria-hidden />
        </button>
      </header>
      <div className="panel-aside-body">{content}</div>
    </aside>
  )
}

type Card = NonNullable<ReturnType<typeof useApiQuery<'cardGet'>>['data']>

function CardFacts({ card }: { card: Card }) {
  const m = useMessages(messages)
  const acts = useLikelyActs()({ ids: [card.id] }, 'one')
  const runner = useActions()
  const address = `${card.intranetIp}:${card.adbPort}`
  const place = [card.frame?.name, card.host?.name, m.position(card.position ?? 0), card.serial]
  const facts = {
    runSince: <TimeText at={card.runSince} />,
    networkStatus: <ChoiceLabel choices={networkStatus} value={card.networkStatus} />,
    power: <ChoiceLabel choices={power} value={card.power} />,
    reached: <ChoiceLabel choices={fact} value={card.reached} />,
    tcpOpen: <ChoiceLabel choices={fact} value={card.tcpOpen} />,
    adbAnswers: <ChoiceLabel choices={fact} value={card.adbAnswers} />,
    booted: <ChoiceLabel choices={fact} value={card.booted} />,
    occupancy: <ChoiceLabel choices={occupancy} value={card.occupancy} />,
    phone: card.phone && <CardPhone phone={card.phone} />,
    maintenance: <ChoiceLabel choices={maintenance} value={card.maintenance.state} />,
    isAssignable: <ChoiceLabel choices={yesNo} value={card.isAssignable} />,
    model: [card.model, card.board].filter(Boolean).join(' · '),
    extranet: card.extranetIp && <span className="sky-mono">{`${card.extranetIp}:${card.extranetPort ?? ''}`}</span>,
  }
  return (
    <Labels messages={fields}>
      <div className="panel-card-head">
        <strong className="sky-mono">{address}</strong>
        <CopyButton text={address} />
        <span className="kit-gap" />
        <ChoiceLabel choices={runStatus} value={card.runStatus} />
      </div>
      <p className="sky-soft">{place.filter(Boolean).join(' › ')}</p>
      {card.faultReason && <p className="panel-bad">{card.faultReason}</p>}
      <Facts of={facts} wide={Object.keys(facts)} />
      <div className="panel-card-acts">
        <ActionButtons acts={acts} runner={runner} target={address} size="small" />
        <Link className="sky-link" to={`/device/management?detail=${card.id}&part=timeline`}>
          {m.timeline}
        </Link>
        <Link className="sky-link" to={`/device/management?detail=${card.id}`}>
          {m.fullDetail}
        </Link>
      </div>
      {runner.host}
    </Labels>
  )
}
