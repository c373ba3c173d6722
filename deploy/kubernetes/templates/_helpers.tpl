{{- define "stemma.labels" -}}
app.kubernetes.io/name: stemma
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "stemma.selector" -}}
{{- dict "matchLabels" (include "stemma.labels" . | fromYaml) | toJson }}
{{- end }}

{{- define "stemma.nats" -}}
{{- if .Values.nats.server.enabled -}}
{{ .Release.Name }}-nats
{{- end }}
{{- end }}

{{- define "stemma.nats.url" -}}
{{- if and .Values.nats.server.enabled (eq (int .Values.nats.replicas) 1) -}}
nats://{{ include "stemma.nats" . }}:4222
{{- else if .Values.nats.server.enabled -}}
{{- $name := include "stemma.nats" . }}
{{- range $n := until (int .Values.nats.replicas) }}{{ if $n }},{{ end }}nats://{{ $name }}-{{ $n }}.{{ $name }}:4222{{ end }}
{{- else -}}
{{ required "nats.url is needed without nats.server.enabled" .Values.nats.url }}
{{- end }}
{{- end }}

{{- define "stemma.monitoring" -}}
{{- if .Values.nats.server.enabled -}}
{{ include "stemma.nats" . }}.{{ .Release.Namespace }}.svc:8222
{{- else -}}
{{ required "autoscaling.monitoring is needed without nats.server.enabled" .Values.autoscaling.monitoring }}
{{- end }}
{{- end }}

{{- define "stemma.resources" -}}
requests: {cpu: {{ .cpu | quote }}, memory: {{ .memory | quote }}}
limits: {memory: {{ .limit | quote }}}
{{- end }}

{{- define "stemma.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- /* Variables of a program: the table's, the chart's, and those of its own settings, which win. */ -}}
{{- define "stemma.environment" -}}
{{- $values := .root.Values }}
{{- $plain := dict }}
{{- if has "nats" .program.connects }}
{{- $_ := set $plain "STEMMA_NATS_URL" (include "stemma.nats.url" .root) }}
{{- if $values.nats.tls }}{{ $_ := set $plain "STEMMA_NATS_CA_FILE" "/etc/stemma/tls/ca.crt" }}{{ end }}
{{- end }}
{{- if and (has "otlp" .program.connects) $values.otlp.endpoint }}
{{- $_ := set $plain "OTEL_EXPORTER_OTLP_ENDPOINT" $values.otlp.endpoint }}
{{- end }}
{{- $plain = mustMergeOverwrite $plain (.program.variables | default dict) }}
{{- $plain = mustMergeOverwrite $plain (.program.defaults | default dict) }}
{{- if .program.serves }}
{{- $hosts := list "127.0.0.1" "localhost" }}
{{- $own := printf "%s-%s" .root.Release.Name .name }}
{{- range list "" (printf ".%s" .root.Release.Namespace) (printf ".%s.svc" .root.Release.Namespace) (printf ".%s.svc.cluster.local" .root.Release.Namespace) }}
{{- $hosts = append $hosts (print $own .) }}
{{- end }}
{{- with $values.gateway.host }}
{{- $hosts = append $hosts . }}
{{- if not $values.gateway.proxies }}{{ fail "gateway.proxies is needed: addresses or networks of the Ingress controller" }}{{ end }}
{{- end }}
{{- $_ := set $plain "STEMMA_GATEWAY_TRUSTED_HOSTS" (join "," $hosts) }}
{{- with $values.gateway.proxies }}{{ $_ := set $plain "STEMMA_GATEWAY_TRUSTED_PROXIES" (join "," .) }}{{ end }}
{{- end }}
{{- if has "otlp" .program.connects }}{{ $plain = mustMergeOverwrite $plain $values.environment }}{{ end }}
{{- if has "bounds" (.program.optional | default list) }}
{{- $plain = mustMergeOverwrite $plain (dict "STEMMA_REPLICAS" $values.nats.replicas) $values.bounds }}
{{- end }}
{{- range $key, $value := .own.settings | default dict }}
{{- $_ := set $plain (printf "STEMMA_%s_%s" ($.name | upper | replace "-" "_") ($key | upper)) $value }}
{{- end }}
{{- range $name, $value := $plain }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- range $name, $key := .program.secrets | default dict }}
- name: {{ $name }}
  valueFrom: {secretKeyRef: {name: {{ $values.secret }}, key: {{ $key }}}}
{{- end }}
{{- end }}

{{- define "stemma.probes" -}}
startupProbe: {httpGet: {path: /ready, port: health}, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 60}
readinessProbe: {httpGet: {path: /ready, port: health}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}
livenessProbe: {httpGet: {path: /health, port: health}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6}
{{- end }}

{{- /* The pod of a program. No token of the cluster, and no variables for the addresses of other services, which would
       pass for misspelt settings. */ -}}
{{- define "stemma.pod" -}}
{{- $values := .root.Values }}
{{- $restart := get (dict "once" "OnFailure" "again" "Never" "always" "Always") .program.runs }}
{{- $tls := and $values.nats.tls (has "nats" .program.connects) }}
metadata:
  labels: {{- include "stemma.labels" . | nindent 4 }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  restartPolicy: {{ $restart }}
  terminationGracePeriodSeconds: 30
  {{- with $values.image.pullSecrets }}
  imagePullSecrets: {{ toJson . }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile: {type: RuntimeDefault}
  {{- if eq .program.runs "always" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector: {{ include "stemma.selector" . }}
  {{- end }}
  containers:
    - name: {{ .name }}
      image: {{ include "stemma.image" . }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args: {{ include "stemma.arguments" . }}
      env: {{- include "stemma.environment" . | nindent 8 }}
      {{- with include "stemma.secrets" . | fromJsonArray }}
      envFrom: {{ toJson . }}
      {{- end }}
      {{- with include "stemma.ports" .program | fromJsonArray }}
      ports: {{ toJson . }}
      {{- end }}
      {{- with .program.health }}
      {{- include "stemma.probes" . | nindent 6 }}
      {{- end }}
      resources: {{- include "stemma.resources" (mustMergeOverwrite (deepCopy .program.resources) (.own.resources | default dict)) | nindent 8 }}
      securityContext: {{- include "stemma.confined" . | nindent 8 }}
      volumeMounts:
        - {name: tmp, mountPath: /tmp}
        {{- range $at, $of := .program.mounts | default dict }}
        - {name: {{ $of }}, mountPath: {{ $at }}, readOnly: true}
        {{- end }}
        {{- if $tls }}
        - {name: tls, mountPath: /etc/stemma/tls, readOnly: true}
        {{- end }}
  volumes:
    - {name: tmp, emptyDir: {sizeLimit: 4Gi}}
    {{- range $at, $of := .program.mounts | default dict }}
    - {name: {{ $of }}, secret: {secretName: {{ index $values $of }}}}
    {{- end }}
    {{- if $tls }}
    - {name: tls, secret: {secretName: {{ $values.nats.tls }}, items: [{key: ca.crt, path: ca.crt}]}}
    {{- end }}
{{- end }}

{{- /* Secrets whose variables a program gets as they are, of those that the values name. */ -}}
{{- define "stemma.secrets" -}}
{{- $values := .root.Values }}
{{- $named := dict "models" $values.models.secret "notifier" $values.receivers.secret "openid" $values.openid.secret "gateway" $values.gateway.secret "signing" $values.signing.secret }}
{{- $given := list }}
{{- range .program.optional | default list }}
{{- with get $named . }}{{ $given = append $given (dict "secretRef" (dict "name" .)) }}{{ end }}
{{- end }}
{{- toJson $given }}
{{- end }}

{{- define "stemma.ports" -}}
{{- $ports := list }}
{{- range $name, $port := dict "health" (dig "health" "port" 0 .) "http" .serves }}
{{- if $port }}{{ $ports = append $ports (dict "name" $name "containerPort" $port) }}{{ end }}
{{- end }}
{{- toJson $ports }}
{{- end }}

{{- define "stemma.image" -}}
{{- with .root.Values.image.registry }}{{ . }}/{{ end -}}
{{ .program.image.package }}:{{ .own.tag | default .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "stemma.arguments" -}}
{{- $arguments := .program.command | default list }}
{{- if has "bounds" (.program.optional | default list) }}
{{- range .root.Values.tenants }}{{ $arguments = concat $arguments (list "--tenant" .) }}{{ end }}
{{- end }}
{{- toJson $arguments }}
{{- end }}

{{- /* Peers of a policy: without any, the policy would be about everybody. */ -}}
{{- define "stemma.peers" -}}
{{- if not .peers }}{{ fail (printf "%s is needed" .what) }}{{ end }}
{{- toYaml .peers }}
{{- end }}
