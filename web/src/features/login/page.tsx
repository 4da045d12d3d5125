import { type FormEvent, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useNavigate, useSearchParams } from 'react-router'
import { safeRedirect } from '@/access/guard'
import type { Awaited } from '@/access/handover'
import { handoverMessages } from '@/access/handover-messages'
import { beginSession } from '@/access/session'
import { setTheme, useTheme } from '@/access/theme'
import { errorTexts } from '@/api/errors'
import { isApiFailure } from '@/api/failure'
import { setLanguage, useLanguage } from '@/i18n/language'
import { textsOf, useMessages } from '@/i18n/messages'
import { PasswordInput } from '@/ui/password-input'
import { ExclamationIcon, LanguageIcon, MoonIcon, SafetyIcon, SunIcon } from '@/ui/shell-icons'
import { PlainTextInput } from '@/ui/text-input'
import './login.css'
import { Brand } from './brand'
import { messages } from './messages'
import { type CodeKind, codeAskedBy, fetchCaptcha, fetchProviders, type Provider, signIn } from './sign-in'
import { SocialDialog } from './social'

interface Problems {
  username?: string
  password?: string
  authCode?: string
  form?: string
}

export default function LoginPage() {
  const m = useMessages(messages)
  return (
    <div className="login">
      <LoginSwitches />
      <Brand />
      <main className="login-main">
        <LoginForm />
        <p className="login-recorded">{m.recorded}</p>
      </main>
    </div>
  )
}

function LoginSwitches() {
  const m = useMessages(messages)
  const language = useLanguage()
  const theme = useTheme()
  return (
    <div className="login-switches">
      <button
        type="button"
        className="login-switch"
        lang={language === 'zh' ? 'en' : 'zh-CN'}
        onClick={() => setLanguage(language === 'zh' ? 'en' : 'zh')}
        aria-label={m.switchLanguage}
      >
        <LanguageIcon aria-hidden /> {m.otherLanguage}
      </button>
      <button
        type="button"
        className="login-switch"
        onClick={() => setTheme(theme === 'dark' ? 'light' : 'dark')}
        aria-label={theme === 'dark' ? m.light : m.dark}
      >
        {theme === 'dark' ? <SunIcon aria-hidden /> : <MoonIcon aria-hidden />}
      </button>
    </div>
  )
}

function LoginForm() {
  const m = useMessages(messages)
  const shared = useMessages(errorTexts)
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [authCode, setAuthCode] = useState('')
  const [codeKind, setCodeKind] = useState<CodeKind>('none')
  const [captcha, setCaptcha] = useState('')
  const [problems, setProblems] = useState<Problems>({})
  const [busy, setBusy] = useState(false)
  const first = useRef<HTMLInputElement>(null)
  const code = useRef<HTMLInputElement>(null)
  const second = useRef<HTMLInputElement>(null)
  // The code of the authenticator takes the place of the form; what was typed there goes along with it.
  const askedForCode = codeKind === 'totp'

  // The field is where everybody begins; `autoFocus` would announce itself twice to screen readers.
  useEffect(() => first.current?.focus(), [])
  // The code field appears after a refusal; the cursor belongs there.
  useEffect(() => {
    if (codeKind !== 'none') code.current?.focus()
  }, [codeKind])

  async function renewCaptcha() {
    setAuthCode('')
    setCaptcha(await fetchCaptcha(username).catch(() => ''))
  }

  function check(): Problems {
    const found: Problems = {}
    const name = username.trim()
    if (name === '') found.username = m.usernameMissing
    else if (name.length > 32) found.username = m.usernameLong
    if (password === '') found.password = m.passwordMissing
    else if (password.length < 6) found.password = m.passwordShort
    else if (password.length > 32) found.password = m.passwordLong
    if (codeKind !== 'none' && authCode.trim() === '') found.authCode = m.codeMissing
    return found
  }

  function explain(error: unknown) {
    const asked = codeAskedBy(error)
    if (asked !== 'none') {
      const said = isApiFailure(error) ? error.errors.find(({ field }) => field === 'authCode') : undefined
      const firstTime = codeKind !== asked
      setCodeKind(asked)
      setProblems(firstTime ? {} : { authCode: said?.message ?? m.codeMissing })
    } else {
      setProblems({ form: isApiFailure(error) ? error.msg || m.failed : shared.network })
      // The name is right more often than the password.
      second.current?.focus()
    }
    if (asked === 'captcha' || codeKind === 'captcha') void renewCaptcha()
    else setAuthCode('')
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (busy) return
    const found = check()
    setProblems(found)
    if (Object.keys(found).length > 0) return
    setBusy(true)
    try {
      await signIn({ username, password, authCode })
      await navigate(safeRedirect(search.get('redirect')), { replace: true })
    } catch (error) {
      explain(error)
    } finally {
      setBusy(false)
    }
  }

  function back() {
    setCodeKind('none')
    setAuthCode('')
    setProblems({})
  }

  return (
    <form className="login-form" onSubmit={submit} noValidate aria-label={m.title}>
      <h1>{askedForCode ? m.codeStep : m.welcome}</h1>
      <p className="login-account">{askedForCode ? username : m.account}</p>
      <div className="login-slot">
        {problems.form && (
          <p className="login-problem" role="alert">
            <ExclamationIcon aria-hidden />
            {problems.form}
          </p>
        )}
      </div>
      {!askedForCode && (
        <>
          <PlainTextInput
            label={m.username}
            value={username}
            onChange={setUsername}
            autoComplete="username"
            error={problems.username}
            inputRef={first}
          />
          <PasswordInput
            label={m.password}
            value={password}
            onChange={setPassword}
            autoComplete="current-password"
            error={problems.password}
            showLabel={m.show}
            hideLabel={m.hide}
            capsLockText={m.capsLock}
            inputRef={second}
          />
        </>
      )}
      {askedForCode && (
        <PlainTextInput
          label={m.totp}
          hint={m.totpHint}
          value={authCode}
          onChange={setAuthCode}
          autoComplete="one-time-code"
          error={problems.authCode}
          inputRef={code}
        />
      )}
      {codeKind === 'captcha' && (
        <PlainTextInput
          label={m.captcha}
          value={authCode}
          onChange={setAuthCode}
          autoComplete="off"
          error={problems.authCode}
          inputRef={code}
          beside={
            <button
              type="button"
              className="login-captcha"
              onClick={() => void renewCaptcha()}
              aria-label={m.captchaImage}
            >
              {captcha && <img src={captcha} alt="" />}
            </button>
          }
        />
      )}
      <button type="submit" className="plain-button login-submit" data-primary disabled={busy}>
        {busy ? m.submitting : m.submit}
      </button>
      {askedForCode ? (
        <button type="button" className="plain-button login-social" onClick={back}>
          {m.codeBack}
        </button>
      ) : (
        <SocialSignIn onProblem={(form) => setProblems({ form })} />
      )}
    </form>
  )
}

function SocialSignIn({ onProblem }: { onProblem: (text: string) => void }) {
  const m = useMessages(messages)
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const [providers, setProviders] = useState<Provider[]>([])
  const [open, setOpen] = useState(false)

  // Asked once; without an answer there is simply no such button.
  useEffect(() => {
    fetchProviders().then(setProviders, () => undefined)
  }, [])

  function enter() {
    setOpen(false)
    void navigate(safeRedirect(search.get('redirect')), { replace: true })
  }

  function finish(answer: Exclude<Awaited<'signedIn'>, { kind: 'codeNeeded' }>) {
    setOpen(false)
    if (answer.kind === 'failed') return onProblem(textsOf(handoverMessages)[answer.error])
    beginSession({ ...answer, username: '' })
    enter()
  }

  if (providers.length === 0) return null
  return (
    <>
      <div className="login-or">{m.or}</div>
      <button type="button" className="plain-button login-social" onClick={() => setOpen(true)}>
        <SafetyIcon aria-hidden />
        {m.otherWays}
      </button>
      {/* Out of the form of the password: its own form must not stand inside of another. */}
      {open &&
        createPortal(
          <SocialDialog providers={providers} onAnswer={finish} onEntered={enter} onClose={() => setOpen(false)} />,
          document.body,
        )}
    </>
  )
}
