// The repair of one session of the list, in a dialog; a notice undoes it.
import { useEffect, useId, useRef } from 'react';
import type { AppliedFix, DoctorRow } from '../../wire/index.ts';
import { useActionHost } from '../actions/index.ts';
import { Words } from '../session/text/index.ts';
import { Repair } from './repair.tsx';

export interface RepairDialogProps {
  readonly row: DoctorRow;
  onChanged(): void;
  onClose(): void;
}

export function RepairDialog({ row, onChanged, onClose }: RepairDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  const host = useActionHost();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const onApplied = ({ operation, to, preview: { after } }: AppliedFix): void => {
    host.notify({
      text: `Repaired: resuming now loads ${after.loaded} of ${after.of} messages`,
      undoes: [operation],
      link: { address: `/s/${encodeURIComponent(to.key)}`, text: 'Open the repaired session' },
    });
    onChanged();
    dialog.current?.close();
  };
  return (
    <dialog className="action-dialog repair-dialog" ref={dialog} aria-labelledby={headingId} onClose={onClose}>
      <h2 id={headingId}>
        Repair “<Words text={row.title ?? row.id} />”
      </h2>
      <p className="quiet">
        <Words text={row.effect} />
      </p>
      <Repair sessionKey={row.key} startsAtOnce onApplied={onApplied} />
      <div className="dialog-buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
