import { useQuery } from '@tanstack/react-query'
import dayjs from 'dayjs'
import { Link } from 'react-router'
import { useRoutesOfSession } from '@/access/access'
import { allPages } from '@/access/routes'
import { useTitle } from '@/access/titles'
import { request } from '@/api/client'
import { useMessages } from '@/i18n/messages'
import { Logo } from '@/ui/logo'
import { Skeleton } from '@/ui/skeleton'
import '@/ui/dialog.css'
import '@/ui/page.css'
import { messages } from './messages'

interface About {
  version: string
  /** Only releases know theirs. */
  commit: string | null
  database: string
  startedAt: string
  serial: string
  demo: boolean
}

/** What the console is, which build runs, and where to go next. */
export default function IntroductionPage() {
  const m = useMessages(messages)
  const news = Object.values(m.newsItems)
  return (
    <div className="general">
      <section className="panel panel-hero">
        <Logo />
        <p>{m.lead}</p>
      </section>
      <div className="general-columns">
        <SystemPanel />
        <section className="panel">
          <h2>{m.news}</h2>
          <ul className="plain-list">
            {news.map((item) => (
              <li key={item}>{item}</li>
            ))}
          </ul>
        </section>
        <NextPanel />
        <section className="panel">
          <h2>{m.keys}</h2>
          <dl className="facts">
            <dt>
              <kbd>Ctrl K</kbd>
            </dt>
            <dd>{m.keySearch}</dd>
            <dt>
              <kbd>Esc</kbd>
            </dt>
            <dd>{m.keyClose}</dd>
            <dt>
              <kbd>{m.rightClick}</kbd>
            </dt>
            <dd>{m.keyTabMenu}</dd>
          </dl>
        </section>
      </div>
    </div>
  )
}

function SystemPanel() {
  const m = useMessages(messages)
  const about = useQuery({
    queryKey: ['about'],
    queryFn: async ({ signal }) => (await request('GET', '/api/general/v1/about', {}, { signal })).data as About,
  })
  return (
    <section className="panel">
      <h2>{m.system}</h2>
      {about.isPending && <Skeleton label={m.loading} />}
      {about.isError && (
        <p>
          {m.unknown}{' '}
          <button type="button" className="sky-link" onClick={() => void about.refetch()}>
            {m.retry}
          </button>
        </p>
      )}
      {about.data && (
        <dl className="facts">
          <dt>{m.version}</dt>
          <dd>{about.data.version}</dd>
          <dt>{m.commit}</dt>
          <dd>{about.data.commit ? <span className="sky-mono">{about.data.commit}</span> : m.ownBuild}</dd>
          <dt>{m.database}</dt>
          <dd>{about.data.database}</dd>
          <dt>{m.startedAt}</dt>
          <dd>{dayjs(about.data.startedAt).format('YYYY-MM-DD HH:mm:ss')}</dd>
          <dt>{m.serial}</dt>
          <dd className="sky-mono">{about.data.serial}</dd>
          <dt>{m.data}</dt>
          <dd>{about.data.demo ? m.demo : m.live}</dd>
        </dl>
      )}
    </section>
  )
}

/** The screens that a day's work begins with, the commonest first. */
const everyday = [
  ...['dashboard', 'devicePanel', 'deviceManagement', 'deviceOperations', 'discoveredDevices'],
  ...['clientUser', 'deviceMonitoring', 'operationLog', 'operators', 'tasks'],
]
const rank = (code = '') => (everyday.includes(code) ? everyday.indexOf(code) : everyday.length)

/** Links to what this person may open, by use, and to the description of the interface. */
function NextPanel() {
  const m = useMessages(messages)
  const title = useTitle()
  const pages = allPages(useRoutesOfSession())
    .filter(({ route }) => !route.hidden && route.name !== 'introduction')
    .sort((one, other) => rank(one.route.screen?.code) - rank(other.route.screen?.code))
  return (
    <section className="panel">
      <h2>{m.help}</h2>
      <ul className="link-list">
        {pages.slice(0, 8).map(({ route }) => (
          <li key={route.path}>
            <Link to={route.path}>{title(route.title)}</Link>
          </li>
        ))}
        <li>
          <a href="/api/docs" target="_blank" rel="noreferrer" title={m.docsHint}>
            {m.docs}
          </a>
        </li>
      </ul>
    </section>
  )
}
