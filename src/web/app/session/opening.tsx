/** Until the session, or the code that shows it, is loaded. */
export function OpeningSession() {
  return (
    <main className="message-page" id="conversation" aria-busy="true">
      <p className="quiet">Opening the session…</p>
    </main>
  );
}
