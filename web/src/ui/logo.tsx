import './logo.css'

/** The mark: an S drawn as a cable through three shelves, with a lamp at each end. */
export function LogoMark({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="logo-mark">
      <rect width="32" height="32" rx="7" fill="#1f6bea" />
      <path d={cable} fill="none" stroke="#fff" strokeWidth="3.2" strokeLinecap="round" />
      <circle cx="23.2" cy="9" r="2.3" fill="#8fe0b0" />
      <circle cx="8.8" cy="23" r="2.3" fill="#8fe0b0" />
    </svg>
  )
}

const cable = 'M18.6 9H12a3.5 3.5 0 0 0 0 7h8a3.5 3.5 0 0 1 0 7h-6.6'

/** The mark with the name, or the mark alone where there is no room. */
export function Logo({ small = false }: { small?: boolean }) {
  return (
    <span className="logo" data-size={small ? 'small' : 'full'}>
      <LogoMark />
      {small ? <span className="visually-hidden">Skyrack</span> : <span className="logo-name">Skyrack</span>}
    </span>
  )
}
