// Passkeys: signs decisions that need it, and adds passkeys. Loaded only if the operator requires
// passkeys.
'use strict';

function toBytes(text) {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

function toText(bytes) {
  const plain = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(plain).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

async function ask(path, body) {
  const answer = await fetch(path, { method: 'POST', ...body });
  const text = await answer.text();
  const said = text === '' ? {} : JSON.parse(text);
  if (!answer.ok) throw new Error(said.detail ?? `status ${answer.status}`);
  return said;
}

const asJson = (value) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

// Asks the authenticator for a signature of the challenge.
async function sign({ challenge, host, allow }) {
  const made = await navigator.credentials.get({
    publicKey: {
      challenge: toBytes(challenge),
      rpId: host,
      allowCredentials: allow.map((id) => ({ type: 'public-key', id: toBytes(id) })),
      userVerification: 'required',
    },
  });
  return {
    id: toText(made.rawId),
    clientDataJSON: toText(made.response.clientDataJSON),
    authenticatorData: toText(made.response.authenticatorData),
    signature: toText(made.response.signature),
  };
}

async function add() {
  const { challenge, host, user, name, allow } = await ask('/passkeys/challenge', asJson({}));
  const passkey = allow.length > 0 ? await sign({ challenge, host, allow }) : undefined;
  const made = await navigator.credentials.create({
    publicKey: {
      challenge: toBytes(challenge),
      rp: { id: host, name: 'Cofferdam' },
      user: { id: toBytes(user), name, displayName: name },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      excludeCredentials: allow.map((id) => ({ type: 'public-key', id: toBytes(id) })),
      authenticatorSelection: { userVerification: 'required' },
      attestation: 'none',
    },
  });
  await ask('/passkeys', asJson({
    challenge,
    passkey,
    id: toText(made.rawId),
    publicKey: toText(made.response.getPublicKey()),
    clientDataJSON: toText(made.response.clientDataJSON),
    authenticatorData: toText(made.response.getAuthenticatorData()),
  }));
  location.reload();
}

function showFailure(place, error) {
  const failed = document.getElementById('failed') ?? document.createElement('p');
  failed.id = 'failed';
  failed.className = 'error';
  failed.setAttribute('role', 'alert');
  failed.textContent = `${error.message ?? error}`;
  failed.hidden = false;
  if (!failed.isConnected) place.before(failed);
}

// Before a decision is sent, its form is asked about; a signature that it needs becomes a field.
document.addEventListener('submit', async (event) => {
  const form = event.target;
  const button = event.submitter;
  if (form.getAttribute('action') !== '/answer' || button?.formMethod === 'dialog' || form.dataset.signed) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  try {
    const { passkey } = await ask('/answer/challenge', { body: new URLSearchParams(new FormData(form, button)) });
    if (passkey) {
      const field = document.createElement('input');
      field.type = 'hidden';
      field.name = 'passkey';
      field.value = JSON.stringify(await sign(passkey));
      form.append(field);
    }
    form.dataset.signed = 'yes';
    form.requestSubmit(button);
  } catch (error) {
    showFailure(form, error);
  }
}, { capture: true });

document.getElementById('add-passkey')?.addEventListener('click', (event) => {
  add().catch((error) => showFailure(event.target, error));
});
