// An OpenID provider for tests, on a port of this machine: everybody may sign in who types a name.
import Provider from "oidc-provider";

const { port, jwks, redirect } = JSON.parse(process.env.STEMMA_TEST_PROVIDER);
const claims = (id) => ({ sub: id, email: `${id}@example.com`, email_verified: id !== "unverified" });
const client = { client_id: "stemma", client_secret: "a secret of the tests", redirect_uris: [redirect] };
const provider = new Provider(`http://127.0.0.1:${port}`, {
  jwks,
  clients: [client],
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  cookies: { keys: ["a key of the tests"] },
  findAccount: (_, id) => ({ accountId: id, claims: () => claims(id) }),
});
provider.listen(port, "127.0.0.1", () => console.log("ready"));
