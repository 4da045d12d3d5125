import './preview.css'
import { setTheme, useTheme } from '@/access/theme'
import { setLanguage, useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { Labels } from '@/kit/labels'
import { Button } from '@/ui/button'
import { Logo } from '@/ui/logo'
import { exhibitKeys, exhibits } from './exhibits'
import { messages } from './messages'

/** One part of the kit in all its states. */
export function Exhibit({ of }: { of: (typeof exhibitKeys)[number] }) {
  const m = useMessages(messages)
  const language = useLanguage()
  const Show = exhibits[of]
  return (
    <Labels messages={messages}>
      <section id={of} className="preview-part" aria-label={m.parts[of]}>
        <h2>{m.parts[of]}</h2>
        {/* Samples are in the language of the moment, and forms keep what they began with. */}
        <Show key={language} />
      </section>
    </Labels>
  )
}

/** Every part of the kit in every state, for the eye. */
export function Gallery() {
  const m = useMessages(messages)
  const language = useLanguage()
  const theme = useTheme()
  return (
    <>
      <header className="preview-bar">
        <Logo />
        <nav>
          {exhibitKeys.map((key) => (
            <a key={key} className="sky-link" href={`#${key}`}>
              {m.parts[key]}
            </a>
          ))}
        </nav>
        <Button lang={language === 'zh' ? 'en' : 'zh'} onClick={() => setLanguage(language === 'zh' ? 'en' : 'zh')}>
          {m.otherLanguage}
        </Button>
        <Button onClick={() => setTheme(theme === 'dark' ? 'light' : 'dark')}>{m.dark}</Button>
      </header>
      <main className="preview">
        {exhibitKeys.map((key) => (
          <Exhibit key={key} of={key} />
        ))}
      </main>
    </>
  )
}
