import './logo.css'

/** The mark: a rack with three shelves, of which the middle one is at work, under the arc of a cloud. */
export function LogoMark({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="logo-mark">
      <rect width="32" height="32" rx="7" fill="#1f6bea" />
      <path
        d="M8.2 13.2a8 8 0 0 1 15.6 0"
        fill="none"
        stroke="#fff"
        strokeOpacity="0.55"
        strokeWidth="2"
        strokeLinecap="round"
      />
      <rect x="7" y="13" width="18" height="3.6" rx="1.4" fill="#fff" fillOpacity="0.75" />
      <rect x="7" y="18" width="18" height="3.6" rx="1.4" fill="#fff" />
      <rect x="7" y="23" width="18" height="3.6" rx="1.4" fill="#fff" fillOpacity="0.75" />
      <circle cx="21.6" cy="19.8" r="1.1" fill="#1f6bea" />
      <circle cx="17.9" cy="19.8" r="1.1" fill="#1f6bea" />
    </svg>
  )
}

/** The mark with the name, or the mark alone where there is no room. */
export function Logo({ small = false }: { small?: boolean }) {
  return (
    <span className="logo" data-size={small ? 'small' : 'full'}>
      <LogoMark />
      {small ? <span className="visually-hidden">Skyrack</span> : <span className="logo-name">Skyrack</span>}
    </span>
  )
}
