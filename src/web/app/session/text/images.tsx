// Images of the transcript, from our own server only. One that is broken or remote is named instead.
import { useCallback, useEffect, useRef, useState } from 'react';
import { formatBytes } from '../../../../base/text/index.ts';
import type { ImageRef, Place } from '../../../../export/wire/index.ts';
import { useActions, useSource } from '../source/index.ts';
import { Words } from './words.tsx';

export function Images({ images }: { readonly images: readonly ImageRef[] }) {
  if (images.length === 0) return null;
  return (
    <div className="images">
      {images.map((image, i) => (
        <Picture key={image.at === null ? `broken ${i}` : `${image.at.record}${image.at.pointer}`} image={image} />
      ))}
    </div>
  );
}

export function Picture({ image }: { readonly image: ImageRef }) {
  const [isLarge, setLarge] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const fail = useCallback(() => setBroken(true), []);
  const { address, place } = useImage(image, fail);
  const size = image.width === null ? '' : `${image.width} × ${image.height}, `;
  const facts = `${size}${formatBytes(image.sizeBytes)}`;
  if (image.at === null || isBroken) {
    return (
      <p className="placeholder">
        {image.url === null ? `Image that cannot be shown (${facts})` : 'Image elsewhere, not loaded: '}
        {image.url === null ? null : <Words text={image.url} />}
      </p>
    );
  }
  const alt = `From the transcript, ${facts}`;
  return (
    <>
      <button
        type="button"
        className="picture"
        title={`${facts}; click to enlarge`}
        disabled={address === null}
        onClick={() => setLarge(true)}
      >
        <img
          ref={place}
          src={address ?? blank}
          alt={alt}
          width={image.width ?? undefined}
          height={image.height ?? undefined}
          onError={fail}
        />
      </button>
      {isLarge && address !== null ? (
        <LargePicture address={address} alt={alt} facts={facts} onClose={() => setLarge(false)} />
      ) : null}
    </>
  );
}

interface LargePictureProps {
  readonly address: string;
  readonly alt: string;
  readonly facts: string;
  onClose(): void;
}

function LargePicture({ address, alt, facts, onClose }: LargePictureProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = (): void => dialog.current?.close();
  return (
    <dialog className="large-picture" ref={dialog} onClose={onClose} aria-label={alt}>
      <p>
        <span className="quiet">{facts}</span>
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
      <img src={address} alt={alt} />
    </dialog>
  );
}

/** A placeholder until the image is loaded: an image without a source is laid out as its alternative text. */
const blank = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** How far below and above the screen images are loaded. */
const nearby = '1000px';

/** An image in the page has its address at once, one from the server when it comes near the screen. */
function useImage({ at }: ImageRef, onFailure: () => void) {
  const source = useSource();
  const inPage = source.exported === null || at === null ? null : String(source.imageUrl(at));
  const [address, setAddress] = useState<string | null>(inPage);
  const place = useRef<HTMLImageElement>(null);
  // `at` is a new object with every answer, and names the same image.
  const [record, pointer] = [at?.record, at?.pointer];
  useEffect(() => {
    const element = place.current;
    if (source.exported !== null || record === undefined || pointer === undefined || element === null) return;
    const request = new AbortController();
    let made: string | null = null;
    const load = async (): Promise<void> => {
      const url = await source.imageUrl({ record, pointer }, request.signal);
      if (request.signal.aborted) {
        URL.revokeObjectURL(url);
        return;
      }
      made = url;
      setAddress(url);
    };
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        load().catch(() => {
          if (!request.signal.aborted) onFailure();
        });
      },
      { rootMargin: nearby },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      request.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [source, record, pointer, onFailure]);
  return { address, place };
}

export function RawButton({ place, also = null }: { readonly place: Place; readonly also?: Place | null }) {
  const source = useSource();
  const { showRaw } = useActions();
  if (source.exported?.hasRaw === false) return null;
  return (
    <span className="raw-buttons">
      {[place, ...(also === null || also.line === place.line ? [] : [also])].map((each) => (
        <button
          type="button"
          className="raw-button"
          key={each.line}
          aria-label={`Raw line ${each.line}`}
          title={`Line ${each.line} of the transcript; click to read it as it is stored`}
          onClick={() => showRaw(source, each)}
        >
          {each.line}
        </button>
      ))}
    </span>
  );
}
