"""The tables as of November 2026, for new sites. A site that has applied some of the migrations that this
one replaces applies the others of them."""

import campaigns.models.identity
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('scoring', '0001_initial'),
        ('scoring', '0002_lifecycle'),
        ('scoring', '0003_analyses'),
        ('scoring', '0004_laying_out'),
        ('scoring', '0005_job_timing'),
        ('scoring', '0006_database_defaults'),
        ('scoring', '0007_fair_shares'),
        ('scoring', '0008_snapshot_contents'),
        ('scoring', '0009_job_without_campaign'),
        ('scoring', '0010_snapshot_doi'),
        ('scoring', '0011_score_of_people'),
        ('scoring', '0012_analysis_failure'),
        ('scoring', '0013_analyses_by_share'),
        ('scoring', '0014_periodic_tasks'),
        ('scoring', '0015_backups'),
        ('scoring', '0016_stored_tables'),
        ('scoring', '0017_job_kind_read'),
    ]

    initial = True

    dependencies = [
        ('campaigns', '0001_squashed_0033_pending_uploads'),
        ('campaigns', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='Backup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('finished_at', models.DateTimeField()),
                ('bytes', models.PositiveBigIntegerField()),
                ('files', models.PositiveBigIntegerField()),
                ('faults', models.PositiveBigIntegerField()),
            ],
            options={
                'get_latest_by': 'finished_at',
            },
        ),
        migrations.CreateModel(
            name='PeriodicTask',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40, unique=True)),
                ('claimed_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=255, unique=True)),
                ('slots', models.PositiveIntegerField()),
                ('seen_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Evaluation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('definitions', models.CharField(max_length=16)),
                ('tie_rule', models.CharField(choices=[('docno', 'Docno'), ('expected', 'Expected')], default='docno', max_length=8)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('scoring', 'Scoring'), ('scored', 'Scored'), ('failed', 'Failed')], default='waiting', max_length=7)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('scored_at', models.DateTimeField(null=True)),
                ('qrels', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='evaluations', to='campaigns.qrels')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='evaluations', to='campaigns.run')),
            ],
            options={
                'indexes': [models.Index(fields=['qrels', 'definitions', 'tie_rule', 'state'], name='scoring_eva_qrels_i_d61711_idx')],
                'constraints': [models.UniqueConstraint(fields=('run', 'qrels', 'definitions', 'tie_rule'), name='evaluation_once')],
            },
        ),
        migrations.CreateModel(
            name='FeedbackRelease',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('measure', models.CharField(max_length=80)),
                ('value', models.FloatField(null=True)),
                ('shown', models.FloatField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('qrels', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.qrels')),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='feedback', to='campaigns.run')),
            ],
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('check', 'Check'), ('evaluate', 'Evaluate'), ('notify', 'Notify'), ('mail', 'Mail'), ('analyse', 'Analyse'), ('lay_out', 'Lay Out'), ('write', 'Write'), ('read', 'Read')], max_length=10)),
                ('subject', models.PositiveBigIntegerField()),
                ('priority', models.PositiveSmallIntegerField(choices=[(0, 'Upload'), (1, 'Normal'), (2, 'Analysis')], db_default=1, default=1)),
                ('request_id', models.CharField(blank=True, db_default='', max_length=64)),
                ('is_long', models.BooleanField(db_default=False, default=False)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', max_length=7)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('owner', models.CharField(blank=True, max_length=32)),
                ('lease_until', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('waiting_since', models.DateTimeField()),
                ('due_at', models.DateTimeField(null=True)),
                ('claimed_at', models.DateTimeField(null=True)),
                ('lost_leases', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('rung_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(null=True)),
                ('error', models.TextField(blank=True)),
                ('campaign', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='campaigns.campaign')),
                ('team', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='campaigns.team')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state__in', ['waiting', 'running'])), fields=['state', 'created_at'], name='live_jobs'), models.Index(fields=['claimed_at'], name='recently_claimed_jobs')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running'])), fields=('kind', 'subject'), name='one_live_job_per_subject'), models.CheckConstraint(condition=models.Q(('kind', 'mail'), ('campaign__isnull', False), _connector='OR'), name='mail_or_of_a_campaign')],
            },
        ),
        migrations.CreateModel(
            name='Score',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('measure', models.CharField(max_length=80)),
                ('definition', models.PositiveSmallIntegerField()),
                ('mean_base', models.FloatField(null=True)),
                ('mean_residual', models.FloatField(null=True)),
                ('topic_count', models.PositiveIntegerField()),
                ('bases', models.BinaryField()),
                ('residuals', models.BinaryField(null=True)),
                ('mean_people', models.FloatField(null=True)),
                ('people', models.BinaryField(null=True)),
                ('evaluation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='scoring.evaluation')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('evaluation', 'measure'), name='score_once')],
            },
        ),
        migrations.CreateModel(
            name='Snapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=campaigns.models.identity.new_public_id, max_length=16, unique=True)),
                ('title', models.CharField(max_length=200)),
                ('definitions', models.CharField(max_length=16)),
                ('doi', models.CharField(blank=True, db_default='', default='', max_length=200)),
                ('storage_key', models.CharField(max_length=100, unique=True)),
                ('digest', models.CharField(max_length=64)),
                ('size', models.PositiveBigIntegerField()),
                ('contents', models.JSONField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='snapshots', to='campaigns.campaign')),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('qrels', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.qrels')),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='StoredGrades',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('storage_key', models.CharField(max_length=100, unique=True)),
                ('digest', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('qrels', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.qrels')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='grades', to='campaigns.run')),
            ],
            options={
                'verbose_name_plural': 'stored grades',
                'constraints': [models.UniqueConstraint(fields=('run', 'qrels'), name='grades_once')],
            },
        ),
        migrations.CreateModel(
            name='StoredRanking',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('storage_key', models.CharField(max_length=100, unique=True)),
                ('digest', models.CharField(max_length=64)),
                ('topic_count', models.PositiveIntegerField()),
                ('document_count', models.PositiveIntegerField()),
                ('tied_count', models.PositiveIntegerField()),
                ('longest', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='ranking', to='campaigns.run')),
            ],
        ),
        migrations.CreateModel(
            name='StoredTable',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=500)),
                ('key', models.CharField(max_length=64)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('computing', 'Computing'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', max_length=9)),
                ('storage_key', models.CharField(blank=True, max_length=100)),
                ('digest', models.CharField(blank=True, max_length=64)),
                ('headers', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='campaigns.campaign')),
                ('person', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['campaign', 'url'], name='scoring_sto_campaig_42fa58_idx')],
                'constraints': [models.UniqueConstraint(fields=('campaign', 'key'), name='stored_table_once')],
            },
        ),
        migrations.CreateModel(
            name='Analysis',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=20)),
                ('question', models.JSONField()),
                ('digest', models.CharField(max_length=64)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('computing', 'Computing'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', max_length=9)),
                ('answer', models.BinaryField(null=True)),
                ('failure', models.CharField(blank=True, db_default='', default='', max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('answered_at', models.DateTimeField(null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='analyses', to='campaigns.campaign')),
                ('qrels', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='campaigns.qrels')),
            ],
            options={
                'verbose_name_plural': 'analyses',
                'constraints': [models.UniqueConstraint(fields=('campaign', 'digest'), name='analysis_once')],
            },
        ),
    ]
